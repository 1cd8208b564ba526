import java.net.URI
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpResponse.BodyHandlers
import kotlinx.serialization.KSerializer
import org.openapitools.client.infrastructure.Serializer
import org.openapitools.client.models.*

/** A caller of the service who writes and reads the generated classes. */
class Caller(private val address: String, private val token: String? = null) {
    private val client = HttpClient.newHttpClient()
    private val json = Serializer.kotlinxSerializationJson
    var tag = ""

    fun <A> get(path: String, answer: KSerializer<A>): A = send(request(path).GET().build(), answer)

    fun <B, A> post(path: String, asked: KSerializer<B>, body: B, answer: KSerializer<A>): A {
        val text = HttpRequest.BodyPublishers.ofString(json.encodeToString(asked, body))
        return send(request(path).header("Content-Type", "application/json").POST(text).build(), answer)
    }

    private fun request(path: String): HttpRequest.Builder {
        val request = HttpRequest.newBuilder(URI(address + path))
        token?.let { request.header("Authorization", "Bearer $it") }
        if (path.endsWith("/moves")) request.header("If-Match", tag)
        return request
    }

    private fun <A> send(request: HttpRequest, answer: KSerializer<A>): A {
        val said = client.send(request, BodyHandlers.ofString())
        check(said.statusCode() in 200..299) { "${request.uri()}: ${said.body()}" }
        said.headers().firstValue("etag").ifPresent { tag = it }
        return json.decodeFromString(answer, said.body())
    }
}

/** How much a player likes a move of this game, the least the most: the one that brings most pieces to the ring. */
fun eagerness(move: Move): Int = when (move) {
    is Move.PromoteFollowerWrapper -> 0
    is Move.PlaceSpeakerWrapper -> 1
    is Move.PlaceFollowerWrapper -> 2
    is Move.ClaimFieldWrapper -> 3
    is Move.ConvinceWrapper -> 4
    is Move.DiscussWrapper -> 5
    is Move.PlayTrilithWrapper -> 6
    is Move.PonderWrapper -> 7
    is Move.EndTurnWrapper -> 8
    else -> 9
}

/** A move as what a player wishes for, which may also be a move's code. */
fun wished(move: Move): MoveOrCode {
    val json = Serializer.kotlinxSerializationJson
    return json.decodeFromString(MoveOrCode.serializer(), json.encodeToString(Move.serializer(), move))
}

/** Plays Der Hohe Rat against a bot with the generated classes: ADDRESS SEED; prints how it ended. */
object Play {
    fun session(address: String, seed: String): String {
        Serializer.kotlinxSerializationJsonConfiguration = { encodeDefaults = false }
        val person = SeatWanted(SeatKind.human, name = "Aine")
        val bot = SeatWanted(SeatKind.bot, bot = BotWanted(BotLevel.random))
        val wanted = NewSession("hoher-rat", listOf(person, bot), seed = seed)
        val made = Caller(address).post("/v1/sessions", NewSession.serializer(), wanted, SessionCreated.serializer())
        val seat = Caller(address, made.seats[0].token)
        val here = "/v1/sessions/${made.id}"
        var moves = 0
        while (true) {
            val seen = seat.get(here, SessionShown.serializer())
            if (seen.status != SessionStatus.running) return """{"status": "${seen.status}", "moves": $moves}"""
            if (0 !in seen.actors) {
                Thread.sleep(20)
                continue
            }
            val tag = seat.tag
            val best = seat.get("$here/legal-moves", LegalMoves.serializer()).moves.minBy { eagerness(it.move) }
            seat.tag = tag
            seat.post("$here/moves", NewMove.serializer(), NewMove(wished(best.move)), MovePlayed.serializer())
            moves++
        }
    }
}

fun main(arguments: Array<String>) = println(Play.session(arguments[0], arguments[1]))
