import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.openapitools.client.ApiClient;

/** Reads each line, the name of a component and a tab before its JSON, as the generated class, and writes it again. */
public final class Echo {
    private Echo() {}

    public static void main(String[] arguments) throws Exception {
        // A union of a text and a number is told apart only where neither is read as the other.
        ObjectMapper mapper = new ApiClient().getObjectMapper();
        mapper.configure(MapperFeature.ALLOW_COERCION_OF_SCALARS, false);
        var lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        var out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            int tab = line.indexOf('\t');
            try {
                Class<?> type = Class.forName("org.openapitools.client.model." + line.substring(0, tab));
                out.println(mapper.writeValueAsString(mapper.readValue(line.substring(tab + 1), type)));
            } catch (Exception | LinkageError problem) {
                out.println("!" + problem.toString().replaceAll("\\s+", " "));
            }
        }
        out.flush();
    }
}
