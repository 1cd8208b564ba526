import com.fasterxml.jackson.databind.MapperFeature;
import java.net.http.HttpClient;
import java.util.List;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.ApiResponse;
import org.openapitools.client.api.SessionsApi;
import org.openapitools.client.model.AbstractOpenApiSchema;
import org.openapitools.client.model.BotLevel;
import org.openapitools.client.model.BotWanted;
import org.openapitools.client.model.HoherRatClaimField;
import org.openapitools.client.model.HoherRatConvince;
import org.openapitools.client.model.HoherRatDiscuss;
import org.openapitools.client.model.HoherRatEndTurn;
import org.openapitools.client.model.HoherRatPlaceFollower;
import org.openapitools.client.model.HoherRatPlaceSpeaker;
import org.openapitools.client.model.HoherRatPlayTrilith;
import org.openapitools.client.model.HoherRatPonder;
import org.openapitools.client.model.HoherRatPromoteFollower;
import org.openapitools.client.model.ListedMove;
import org.openapitools.client.model.MoveOrCode;
import org.openapitools.client.model.NewMove;
import org.openapitools.client.model.NewSession;
import org.openapitools.client.model.SeatKind;
import org.openapitools.client.model.SeatWanted;
import org.openapitools.client.model.SessionShown;
import org.openapitools.client.model.SessionStatus;

/** Plays Der Hohe Rat against a bot with the generated classes alone: Play ADDRESS SEED prints how it ended. */
public final class Play {
    /** The moves by kind, the one that brings most pieces to the ring first. */
    private static final List<Class<?>> EAGERNESS =
            List.of(
                    HoherRatPromoteFollower.class,
                    HoherRatPlaceSpeaker.class,
                    HoherRatPlaceFollower.class,
                    HoherRatClaimField.class,
                    HoherRatConvince.class,
                    HoherRatDiscuss.class,
                    HoherRatPlayTrilith.class,
                    HoherRatPonder.class,
                    HoherRatEndTurn.class);

    private Play() {}

    private static ApiClient at(String address) {
        var client = new ApiClient();
        // By default the JDK offers HTTP/2 without TLS in each first request.
        client.setHttpClientBuilder(HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1));
        client.updateBaseUri(address);
        client.setObjectMapper(client.getObjectMapper().configure(MapperFeature.ALLOW_COERCION_OF_SCALARS, false));
        return client;
    }

    private static int eagerness(ListedMove listed) {
        int place = EAGERNESS.indexOf(listed.getMove().getActualInstance().getClass());
        return place < 0 ? EAGERNESS.size() : place;
    }

    public static void main(String[] arguments) throws Exception {
        var person = new SeatWanted().kind(SeatKind.HUMAN).name("Aine");
        var bot = new SeatWanted().kind(SeatKind.BOT);
        bot.setBot(new BotWanted().level(BotLevel.RANDOM));
        var wanted = new NewSession().game("hoher-rat").addSeatsItem(person).addSeatsItem(bot).seed(arguments[1]);
        var made = new SessionsApi(at(arguments[0])).createSession(wanted, null, null);
        ApiClient client = at(arguments[0]);
        String token = made.getSeats().get(0).getToken();
        client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + token));
        var api = new SessionsApi(client);
        int moves = 0;
        while (true) {
            ApiResponse<?> answer = api.getSessionWithHttpInfo(made.getId(), null, null, null, null);
            SessionShown seen = (SessionShown) ((AbstractOpenApiSchema) answer.getData()).getActualInstance();
            if (seen.getStatus() != SessionStatus.RUNNING) {
                System.out.printf("{\"status\": \"%s\", \"moves\": %d}%n", seen.getStatus(), moves);
                return;
            }
            if (!seen.getActors().contains(0)) {
                Thread.sleep(20);
                continue;
            }
            List<ListedMove> listed = api.listSessionMoves(made.getId(), null, null).getMoves();
            listed.sort((one, other) -> eagerness(one) - eagerness(other));
            var move = new MoveOrCode();
            move.setActualInstance(listed.get(0).getMove().getActualInstance());
            String tag = answer.getHeaders().get("etag").get(0);
            api.makeMoveInSession(made.getId(), tag, new NewMove().move(move), null, null, null, null);
            moves++;
        }
    }
}
