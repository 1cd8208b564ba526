// Reads each line, the name of a component and a tab before its JSON, as the generated type, and writes it again.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

func echo(line string) (string, error) {
	name, text, _ := strings.Cut(line, "\t")
	made, known := types[name]
	if !known {
		return "", fmt.Errorf("there is no type %s", name)
	}
	value := made()
	if err := json.Unmarshal([]byte(text), value); err != nil {
		return "", err
	}
	said, err := json.Marshal(value)
	return string(said), err
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		said, err := echo(lines.Text())
		if err != nil {
			said = "!" + strings.Join(strings.Fields(err.Error()), " ")
		}
		fmt.Println(said)
	}
}
