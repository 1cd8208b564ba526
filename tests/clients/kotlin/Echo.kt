import kotlinx.serialization.ExperimentalSerializationApi
import kotlinx.serialization.serializer
import org.openapitools.client.infrastructure.Serializer

/** Reads each line, the name of a component and a tab before its JSON, as the generated class, and writes it again. */
@OptIn(ExperimentalSerializationApi::class)
fun main() {
    Serializer.kotlinxSerializationJsonConfiguration = { encodeDefaults = false }
    val json = Serializer.kotlinxSerializationJson
    generateSequence(::readLine).forEach { line ->
        val (name, text) = line.split('\t', limit = 2)
        try {
            val codec = json.serializersModule.serializer(Class.forName("org.openapitools.client.models.$name"))
            println(json.encodeToString(codec, json.decodeFromString(codec, text)))
        } catch (problem: Throwable) {
            println("!" + problem.toString().replace(Regex("\\s+"), " "))
        }
    }
}
