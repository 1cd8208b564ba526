using System;
using System.Collections.Generic;
using System.Linq;
using System.Net;
using System.Text;
using System.Threading;
using Dorfplatz.Model;

/// <summary>Plays Der Hohe Rat against a bot with the generated classes.</summary>
public static class Play
{
    /// <summary>The moves by kind, the one that brings most pieces to the ring first.</summary>
    private static readonly List<Type> Eagerness = new List<Type>
    {
        typeof(HoherRatPromoteFollower), typeof(HoherRatPlaceSpeaker), typeof(HoherRatPlaceFollower),
        typeof(HoherRatClaimField), typeof(HoherRatConvince), typeof(HoherRatDiscuss), typeof(HoherRatPlayTrilith),
        typeof(HoherRatPonder), typeof(HoherRatEndTurn),
    };

    public static string Session(string address, string seed)
    {
        var person = new SeatWanted(kind: SeatKind.Human, name: "Aine");
        var bot = new SeatWanted(kind: SeatKind.Bot, bot: new BotWanted(level: BotLevel.Random));
        var wanted = new NewSession(game: "hoher-rat", seats: new List<SeatWanted> { person, bot }, seed: seed);
        var client = new WebClient { Encoding = new UTF8Encoding(false) };
        var made = Post<SessionCreated>(client, address + "/v1/sessions", wanted);
        client.Headers["Authorization"] = "Bearer " + made.Seats[0].Token;
        string here = address + "/v1/sessions/" + made.Id;
        for (int moves = 0; ; )
        {
            var seen = Get<SessionShown>(client, here);
            string tag = client.ResponseHeaders["ETag"];
            if (seen.Status != SessionStatus.Running)
            {
                return "{\"status\": \"" + seen.Status.ToString().ToLowerInvariant() + "\", \"moves\": " + moves + "}";
            }
            if (!seen.Actors.Contains(0))
            {
                Thread.Sleep(20);
                continue;
            }
            var listed = Get<LegalMoves>(client, here + "/legal-moves").Moves;
            var best = listed.OrderBy(each => Eager(each.Move.ActualInstance.GetType())).First();
            client.Headers["If-Match"] = tag;
            var wished = (MoveOrCode)Program.Message.Read(Program.Message.Write(best.Move), typeof(MoveOrCode));
            Post<MovePlayed>(client, here + "/moves", new NewMove(wished));
            client.Headers.Remove("If-Match");
            moves++;
        }
    }

    private static int Eager(Type kind)
    {
        int place = Eagerness.IndexOf(kind);
        return place < 0 ? Eagerness.Count : place;
    }

    private static T Get<T>(WebClient client, string address)
    {
        return (T)Program.Message.Read(client.DownloadString(address), typeof(T));
    }

    private static T Post<T>(WebClient client, string address, object body)
    {
        client.Headers["Content-Type"] = "application/json";
        string said = client.UploadString(address, Program.Message.Write(body));
        client.Headers.Remove("Content-Type");
        return (T)Program.Message.Read(said, typeof(T));
    }
}
