// Runner of System.Security.Cryptography; the protocol is in docs/reference/runner-protocol.md.
// One text for Mono and .NET, in C# 7: what only one of them has is reached by reflection.

using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.InteropServices;
using System.Security.Cryptography;
using System.Text;
using System.Text.RegularExpressions;

public static class Runner
{
    private const string Password = "correct horse battery staple";
    private static readonly byte[] Salt = Sequence(0, 16);

    private sealed class NotOffered : Exception
    {
        public NotOffered(string message) : base(message) { }
    }

    // ---- The library ----

    private static readonly Dictionary<string, Func<HashAlgorithm>> Digests = Working(new Dictionary<string, Func<HashAlgorithm>>
    {
        ["md5"] = MD5.Create,
        ["sha1"] = SHA1.Create,
        ["sha256"] = SHA256.Create,
        ["sha384"] = SHA384.Create,
        ["sha512"] = SHA512.Create,
        ["sha3-256"] = () => CreateByName("SHA3_256"), // since .NET 8
        ["sha3-384"] = () => CreateByName("SHA3_384"),
        ["sha3-512"] = () => CreateByName("SHA3_512"),
        ["ripemd160"] = () => CreateByName("RIPEMD160"), // Mono and the .NET Framework
    });

    private static readonly Dictionary<string, Func<ICryptoTransform>> Ciphers = Working(new Dictionary<string, Func<ICryptoTransform>>
    {
        ["des-cbc"] = () => Encryptor(DES.Create(), 8),
        ["des-ede3-cbc"] = () => Encryptor(TripleDES.Create(), 24),
        ["rc2-128-cbc"] = () => Encryptor(RC2.Create(), 16),
        ["aes-128-cbc"] = () => Encryptor(Aes.Create(), 16),
    });

    private static readonly Dictionary<string, Func<Task, byte[]>> Passwords = new Dictionary<string, Func<Task, byte[]>>
    {
        ["pbkdf2-hmac-sha256"] = task =>
        {
            using (var function = new Rfc2898DeriveBytes(Password, Salt, task.Integer("iterations"), HashAlgorithmName.SHA256))
            {
                return function.GetBytes(32);
            }
        },
    };

    private static Dictionary<string, Func<T>> Working<T>(Dictionary<string, Func<T>> candidates) where T : IDisposable
    {
        var working = new Dictionary<string, Func<T>>();
        foreach (var candidate in candidates)
        {
            try
            {
                candidate.Value().Dispose();
                working.Add(candidate.Key, candidate.Value);
            }
            catch (Exception)
            {
                // not offered
            }
        }
        return working;
    }

    private static HashAlgorithm CreateByName(string name)
    {
        var type = Type.GetType("System.Security.Cryptography." + name + ", System.Security.Cryptography")
            ?? typeof(HashAlgorithm).Assembly.GetType("System.Security.Cryptography." + name, true);
        return (HashAlgorithm)type.GetMethod("Create", Type.EmptyTypes).Invoke(null, null);
    }

    private static ICryptoTransform Encryptor(SymmetricAlgorithm algorithm, int keyBytes)
    {
        using (algorithm)
        {
            algorithm.Mode = CipherMode.CBC;
            algorithm.Padding = PaddingMode.None;
            algorithm.KeySize = 8 * keyBytes;
            return algorithm.CreateEncryptor(Sequence(1, keyBytes), Sequence(0, algorithm.BlockSize / 8));
        }
    }

    private static byte[] Sequence(int first, int length)
    {
        return Enumerable.Range(first, length).Select(value => (byte)value).ToArray();
    }

    // ---- Modes: each prepares outside the clock and returns the pass that is timed ----

    private delegate string Pass(bool checking);

    private delegate void Use(byte[] data, int start, int length);

    private static Pass Prepare(Task task)
    {
        switch (task.Text("mode"))
        {
            case "digest":
                return DigestMemory(task, Offered(Digests, task));
            case "digest-file":
                return DigestFile(task, Offered(Digests, task));
            case "read-file":
                return checking => ReadPieces(task, (data, start, length) => { }).ToString(CultureInfo.InvariantCulture);
            case "cipher":
                return EncryptMemory(task, Offered(Ciphers, task));
            case "cipher-file":
                return EncryptFile(task, Offered(Ciphers, task));
            case "strings":
                return DigestEach(Offered(Digests, task), () => Strings(task));
            case "messages":
                return DigestEach(Offered(Digests, task), () => Messages(task));
            case "password":
                return DerivePassword(task, Offered(Passwords, task));
            default:
                throw new NotOffered("unknown mode");
        }
    }

    private static T Offered<T>(Dictionary<string, T> choices, Task task)
    {
        T choice;
        if (!choices.TryGetValue(task.Text("algorithm"), out choice))
        {
            throw new NotOffered(task.Text("algorithm") + " is not in this library");
        }
        return choice;
    }

    private static Pass DigestMemory(Task task, Func<HashAlgorithm> create)
    {
        var data = Load(task);
        return checking =>
        {
            using (var digest = create())
            {
                ForEachChunk(data, task.ChunkBytes, (array, start, length) => digest.TransformBlock(array, start, length, null, 0));
                return Finish(digest);
            }
        };
    }

    private static Pass DigestFile(Task task, Func<HashAlgorithm> create)
    {
        return checking =>
        {
            using (var digest = create())
            {
                ReadPieces(task, (array, start, length) => digest.TransformBlock(array, start, length, null, 0));
                return Finish(digest);
            }
        };
    }

    private static Pass EncryptMemory(Task task, Func<ICryptoTransform> create)
    {
        var data = Load(task);
        var ciphertext = new byte[Math.Min(task.ChunkBytes, data.Length)];
        return checking =>
        {
            using (var encryptor = create())
            using (var whole = SHA256.Create())
            {
                var encrypted = 0;
                ForEachChunk(data, task.ChunkBytes, (array, start, length) =>
                {
                    encrypted = encryptor.TransformBlock(array, start, length, ciphertext, 0);
                    if (checking)
                    {
                        whole.TransformBlock(ciphertext, 0, encrypted, null, 0);
                    }
                });
                return checking ? Finish(whole) : LastBlock(encryptor, ciphertext, encrypted);
            }
        };
    }

    private static Pass EncryptFile(Task task, Func<ICryptoTransform> create)
    {
        var ciphertext = new byte[task.ChunkBytes];
        return checking =>
        {
            using (var encryptor = create())
            {
                var encrypted = 0;
                ReadPieces(task, (array, start, length) =>
                    encrypted = encryptor.TransformBlock(array, start, length, ciphertext, 0));
                return LastBlock(encryptor, ciphertext, encrypted);
            }
        };
    }

    private static List<byte[]> Strings(Task task)
    {
        var strings = Encoding.ASCII.GetString(Load(task)).Split('\n').Select(Encoding.ASCII.GetBytes).ToList();
        strings.RemoveAt(strings.Count - 1); // after the last line feed
        return strings;
    }

    private static List<byte[]> Messages(Task task)
    {
        var data = Load(task);
        var count = task.Integer("count");
        if (data.Length == 0 || count == 0 || data.Length % count != 0)
        {
            throw new IOException(data.Length + " bytes are not " + count + " messages of one length");
        }
        var length = data.Length / count;
        return Enumerable.Range(0, count).Select(index =>
        {
            var message = new byte[length];
            Array.Copy(data, index * length, message, 0, length);
            return message;
        }).ToList();
    }

    private static Pass DigestEach(Func<HashAlgorithm> create, Func<List<byte[]>> split)
    {
        var messages = split();
        var digest = create(); // ComputeHash leaves it ready for the next message
        return checking =>
        {
            var every = new MemoryStream();
            var last = new byte[0];
            foreach (var message in messages)
            {
                last = digest.ComputeHash(message);
                if (checking)
                {
                    every.Write(last, 0, last.Length);
                }
            }
            return Hexadecimal(checking ? digest.ComputeHash(every.ToArray()) : last);
        };
    }

    private static Pass DerivePassword(Task task, Func<Task, byte[]> derive)
    {
        return checking =>
        {
            var derived = new byte[0];
            for (var index = 0; index < task.Integer("count"); index++)
            {
                derived = derive(task);
            }
            return Hexadecimal(derived);
        };
    }

    private static byte[] Load(Task task)
    {
        var data = File.ReadAllBytes(task.Text("path"));
        task.ExpectBytes(data.Length);
        return data;
    }

    private static void ForEachChunk(byte[] data, int chunkBytes, Use use)
    {
        for (var start = 0; start < data.Length; start += chunkBytes)
        {
            use(data, start, Math.Min(chunkBytes, data.Length - start));
        }
    }

    private static long ReadPieces(Task task, Use use)
    {
        var piece = new byte[task.ChunkBytes];
        long total = 0;
        using (var file = new FileStream(task.Text("path"), FileMode.Open, FileAccess.Read, FileShare.Read, 1)) // 1: no buffer of its own
        {
            int length;
            while ((length = file.Read(piece, 0, piece.Length)) > 0)
            {
                use(piece, 0, length);
                total += length;
            }
        }
        task.ExpectBytes(total);
        return total;
    }

    private static string Finish(HashAlgorithm digest)
    {
        digest.TransformFinalBlock(new byte[0], 0, 0);
        return Hexadecimal(digest.Hash);
    }

    private static string LastBlock(ICryptoTransform encryptor, byte[] ciphertext, int length)
    {
        var block = new byte[encryptor.OutputBlockSize];
        Array.Copy(ciphertext, length - block.Length, block, 0, block.Length);
        return Hexadecimal(block);
    }

    private static string Hexadecimal(byte[] bytes)
    {
        return BitConverter.ToString(bytes).Replace("-", "").ToLowerInvariant();
    }

    // ---- The conversation ----

    // A task: a flat object of JSON, for which Mono's small installation and .NET have no common reader.
    private sealed class Task
    {
        private const string Literal = "\"((?:[^\"\\\\]|\\\\.)*)\"";
        private static readonly Regex Field = new Regex(Literal + "\\s*:\\s*(?:" + Literal + "|([^\\s,}]+))");
        private readonly Dictionary<string, string> fields = new Dictionary<string, string>();

        public Task(string line)
        {
            foreach (Match field in Field.Matches(line))
            {
                // The escapes of JSON are among those of regular expressions.
                fields[Regex.Unescape(field.Groups[1].Value)] =
                    field.Groups[3].Success ? field.Groups[3].Value : Regex.Unescape(field.Groups[2].Value);
            }
        }

        private Task(IDictionary<string, string> others)
        {
            fields = new Dictionary<string, string>(others);
        }

        // The same task but for one field.
        public Task With(string name, string value)
        {
            var task = new Task(fields);
            task.fields[name] = value;
            return task;
        }

        public bool Has(string name)
        {
            return fields.ContainsKey(name);
        }

        public string Text(string name)
        {
            string value;
            return fields.TryGetValue(name, out value) ? value : "";
        }

        public long Number(string name)
        {
            var text = Text(name);
            return text.Length == 0 ? 0 : long.Parse(text, CultureInfo.InvariantCulture);
        }

        public int Integer(string name)
        {
            return checked((int)Number(name));
        }

        // The size of an update; all bytes, and one more to see the end of the file, where the task says 0.
        public int ChunkBytes
        {
            get { return Number("chunk_bytes") > 0 ? Integer("chunk_bytes") : checked(Integer("bytes") + 1); }
        }

        public void ExpectBytes(long found)
        {
            if (found != Number("bytes"))
            {
                throw new IOException("the file has " + found + " bytes, the task says " + Number("bytes"));
            }
        }
    }

    private static readonly TextWriter Out =
        new StreamWriter(Console.OpenStandardOutput(), new UTF8Encoding(false)) { AutoFlush = true, NewLine = "\n" };

    private static void Say(string type, params object[] namesAndValues)
    {
        var line = new StringBuilder("{\"type\":" + Quote(type));
        for (var index = 0; index < namesAndValues.Length; index += 2)
        {
            line.Append(',').Append(Quote((string)namesAndValues[index])).Append(':').Append(Json(namesAndValues[index + 1]));
        }
        Out.WriteLine(line.Append('}'));
    }

    private static string Json(object value)
    {
        if (value is string text)
        {
            return Quote(text);
        }
        if (value is bool truth)
        {
            return truth ? "true" : "false";
        }
        if (value is IEnumerable<string> texts)
        {
            return "[" + string.Join(",", texts.Select(Quote)) + "]";
        }
        return ((IFormattable)value).ToString(null, CultureInfo.InvariantCulture);
    }

    private static string Quote(string text)
    {
        return "\"" + Regex.Replace(text, "[\"\\\\\\x00-\\x1f]", match => "\\u" + ((int)match.Value[0]).ToString("x4")) + "\"";
    }

    [StructLayout(LayoutKind.Sequential)]
    private struct Timespec
    {
        public IntPtr Seconds;
        public IntPtr Nanoseconds;

        public long Total
        {
            get { return (long)Seconds * 1000000000 + (long)Nanoseconds; }
        }
    }

    [DllImport("libc")]
    private static extern int clock_gettime(int clock, out Timespec time);

    [DllImport("libc")]
    private static extern int clock_getres(int clock, out Timespec step);

    private const int ClockThreadCpuTime = 3; // of Linux

    private static readonly bool IsLinux = File.Exists("/proc/self/status");

    // Of the thread on Linux; elsewhere of the process, in the steps of the system's scheduler.
    private static long CpuNanoseconds()
    {
        Timespec now;
        return IsLinux && clock_gettime(ClockThreadCpuTime, out now) == 0
            ? now.Total : Process.GetCurrentProcess().TotalProcessorTime.Ticks * 100;
    }

    private static long ClockStep()
    {
        Timespec step;
        return IsLinux && clock_getres(ClockThreadCpuTime, out step) == 0 ? step.Total : 15625000;
    }

    private static long WallNanoseconds()
    {
        return (long)(Stopwatch.GetTimestamp() * (1e9 / Stopwatch.Frequency));
    }

    private static long PeakBytes()
    {
        var line = IsLinux ? File.ReadAllLines("/proc/self/status").FirstOrDefault(text => text.StartsWith("VmHWM:")) : null;
        return line == null ? Process.GetCurrentProcess().PeakWorkingSet64
            : long.Parse(Regex.Match(line, "\\d+").Value, CultureInfo.InvariantCulture) * 1024;
    }

    // GC.GetTotalPauseDuration, since .NET 7.
    private static readonly MethodInfo PauseDuration = typeof(GC).GetMethod("GetTotalPauseDuration");

    private static long PauseNanoseconds()
    {
        return ((TimeSpan)PauseDuration.Invoke(null, null)).Ticks * 100;
    }

    private static void CarryOut(Task task)
    {
        var id = task.Number("id");
        var collections = GC.CollectionCount(0); // a collection of an older generation counts in the younger ones, too
        var pause = PauseDuration == null ? 0 : PauseNanoseconds();
        var pass = Prepare(task);
        Say("check", "id", id, "answer", pass(true));
        for (var index = 0; index < task.Integer("warm_up"); index++)
        {
            pass(false);
        }
        for (var repeat = 0; repeat < task.Integer("repeats"); repeat++)
        {
            if (task.Has("repeat_path")) // other data for each repeat
            {
                pass = Prepare(task.With("path", task.Text("repeat_path") + repeat.ToString(CultureInfo.InvariantCulture)));
                Say("begin", "id", id, "repeat", repeat);
            }
            var wall = WallNanoseconds();
            var cpu = CpuNanoseconds();
            var answer = pass(false);
            cpu = CpuNanoseconds() - cpu;
            wall = WallNanoseconds() - wall;
            Say("sample", "id", id, "repeat", repeat, "wall_ns", wall, "cpu_ns", cpu, "answer", answer);
        }
        var done = new List<object> { "id", id, "gc_count", GC.CollectionCount(0) - collections, "peak_bytes", PeakBytes() };
        if (PauseDuration != null)
        {
            done.AddRange(new object[] { "gc_ns", PauseNanoseconds() - pause });
        }
        Say("done", done.ToArray());
    }

    private static void Hello()
    {
        var mono = Type.GetType("Mono.Runtime") != null;
        var runtime = RuntimeInformation.FrameworkDescription.Split('(')[0].Trim(); // Mono appends its package and date
        Say("hello", "protocol", 1, "language", "C#", "language_version", runtime,
            "library", "System.Security.Cryptography", "library_version", runtime,
            "provider", mono ? "Mono's managed classes" : IsLinux ? OpenSsl() : "the operating system",
            "backend", "", "stand_in", false, "varies", true, "clock_ns", ClockStep(),
            "algorithms", Digests.Keys.Concat(Ciphers.Keys).Concat(Passwords.Keys));
    }

    // .NET has no cryptography of its own on Linux: it calls the system's OpenSSL.
    private static string OpenSsl()
    {
        var handle = Type.GetType("System.Security.Cryptography.SafeEvpPKeyHandle, System.Security.Cryptography.OpenSsl");
        var property = handle == null ? null : handle.GetProperty("OpenSslVersion");
        if (property == null)
        {
            return "OpenSSL";
        }
        var version = (long)property.GetValue(null); // MNN00PP0 since 3, MNNFFPPS before
        return "OpenSSL " + (version >> 28) + "." + (version >> 20 & 0xff) + "."
            + (version >> 28 >= 3 ? version >> 4 & 0xff : version >> 12 & 0xff);
    }

    public static void Main()
    {
        Hello();
        var input = new StreamReader(Console.OpenStandardInput(), new UTF8Encoding(false));
        for (string line; (line = input.ReadLine()) != null;)
        {
            var task = new Task(line);
            try
            {
                CarryOut(task);
            }
            catch (NotOffered reason)
            {
                Say("not-offered", "id", task.Number("id"), "message", reason.Message);
            }
            catch (Exception error) // whatever the library throws ends the task, not the runner
            {
                Say("error", "id", task.Number("id"), "message", error.Message);
            }
        }
    }
}
