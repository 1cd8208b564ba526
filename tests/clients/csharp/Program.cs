using System;
using System.IO;
using System.Linq;
using System.Net;
using System.Reflection;
using System.Text;
using System.Text.RegularExpressions;
using System.Threading;
using Dorfplatz.Model;
using Newtonsoft.Json;

/// <summary>Tries the generated classes: `echo` reads and writes messages, `play ADDRESS SEED` plays a session.</summary>
public static class Program
{
    private static readonly JsonSerializerSettings Settings = new JsonSerializerSettings
    {
        ConstructorHandling = ConstructorHandling.AllowNonPublicDefaultConstructor,
        DateParseHandling = DateParseHandling.DateTimeOffset,
        DateTimeZoneHandling = DateTimeZoneHandling.Utc,
    };

    public static int Main(string[] arguments)
    {
        if (arguments[0] == "echo")
        {
            Echo();
        }
        else
        {
            Console.WriteLine(Play.Session(arguments[1], arguments[2]));
        }
        return 0;
    }

    /// <summary>Reads each line, the name of a component and a tab before its JSON, and writes it again.</summary>
    private static void Echo()
    {
        var input = new StreamReader(Console.OpenStandardInput(), new UTF8Encoding(false));
        var output = new StreamWriter(Console.OpenStandardOutput(), new UTF8Encoding(false));
        for (string line = input.ReadLine(); line != null; line = input.ReadLine())
        {
            var parts = line.Split(new[] { '\t' }, 2);
            try
            {
                var type = typeof(Message).Assembly.GetType("Dorfplatz.Model." + parts[0], true);
                output.WriteLine(Message.Write(Message.Read(parts[1], type)));
            }
            catch (Exception problem)
            {
                output.WriteLine("!" + Regex.Replace((problem.InnerException ?? problem).Message, "\\s+", " "));
            }
        }
        output.Flush();
    }

    /// <summary>Messages as JSON.</summary>
    public static class Message
    {
        public static object Read(string text, Type type)
        {
            return JsonConvert.DeserializeObject(text, type, Settings);
        }

        public static string Write(object message)
        {
            return JsonConvert.SerializeObject(message, Settings);
        }
    }
}
