// Plays Der Hohe Rat against a bot with the generated client: play ADDRESS SEED prints how it ended.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"sort"
	"time"

	"github.com/dorfplatz/client"
)

// eagerness tells how much a player likes a move, the least the most: the one that brings most pieces to the ring.
func eagerness(move dorfplatz.Move) int {
	switch move.GetActualInstance().(type) {
	case *dorfplatz.HoherRatPromoteFollower:
		return 0
	case *dorfplatz.HoherRatPlaceSpeaker:
		return 1
	case *dorfplatz.HoherRatPlaceFollower:
		return 2
	case *dorfplatz.HoherRatClaimField:
		return 3
	case *dorfplatz.HoherRatConvince:
		return 4
	case *dorfplatz.HoherRatDiscuss:
		return 5
	case *dorfplatz.HoherRatPlayTrilith:
		return 6
	case *dorfplatz.HoherRatPonder:
		return 7
	case *dorfplatz.HoherRatEndTurn:
		return 8
	}
	return 9
}

func at(address string) *dorfplatz.APIClient {
	settings := dorfplatz.NewConfiguration()
	settings.Servers = dorfplatz.ServerConfigurations{{URL: address}}
	return dorfplatz.NewAPIClient(settings)
}

// wished returns a move as what a player wishes for, which may also be a move's code.
func wished(move dorfplatz.Move) dorfplatz.MoveOrCode {
	said, err := json.Marshal(move)
	must(err)
	var choice dorfplatz.MoveOrCode
	must(json.Unmarshal(said, &choice))
	return choice
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	ctx := context.Background()
	client := at(os.Args[1])
	person, bot := dorfplatz.NewSeatWanted(dorfplatz.SEATKIND_HUMAN), dorfplatz.NewSeatWanted(dorfplatz.SEATKIND_BOT)
	person.SetName("Aine")
	bot.SetBot(*dorfplatz.NewBotWanted(dorfplatz.BOTLEVEL_RANDOM))
	wanted := dorfplatz.NewNewSession("hoher-rat", []dorfplatz.SeatWanted{*person, *bot})
	wanted.SetSeed(os.Args[2])
	made, _, err := client.SessionsAPI.CreateSession(ctx).NewSession(*wanted).Execute()
	must(err)
	client.GetConfig().AddDefaultHeader("Authorization", "Bearer "+made.Seats[0].GetToken())
	moves := 0
	for {
		answer, raw, err := client.SessionsAPI.GetSession(ctx, made.Id).Execute()
		must(err)
		seen := answer.SessionShown
		if seen.Status != "running" {
			fmt.Printf("{\"status\": %q, \"moves\": %d}\n", seen.Status, moves)
			return
		}
		if len(seen.Actors) == 0 || seen.Actors[0] != 0 {
			time.Sleep(20 * time.Millisecond)
			continue
		}
		legal, _, err := client.SessionsAPI.ListSessionMoves(ctx, made.Id).Execute()
		must(err)
		listed := legal.Moves
		sort.SliceStable(listed, func(a, b int) bool { return eagerness(listed[a].Move) < eagerness(listed[b].Move) })
		move := dorfplatz.NewNewMove(wished(listed[0].Move))
		request := client.SessionsAPI.MakeMoveInSession(ctx, made.Id).IfMatch(raw.Header.Get("ETag")).NewMove(*move)
		_, _, err = request.Execute()
		must(err)
		moves++
	}
}
