import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.Provider;
import java.security.Security;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.crypto.Cipher;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.RC2ParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Runner of five Java libraries; the protocol is in docs/reference/runner-protocol.md. Everything beyond the JDK is reached by
 * reflection, so that this file compiles and runs with whichever jars are on the class path.
 */
public final class Runner {
    private static final String PASSWORD = "correct horse battery staple";
    private static final byte[] SALT = sequence(0, 16);

    // ---- What the modes need of a library ----

    /** Takes bytes and gives the answer: a digest under way, or an encryption. */
    interface Consumer {
        void update(byte[] data, int start, int length) throws Exception;

        byte[] finish() throws Exception;
    }

    interface Factory<T> {
        T make() throws Exception;
    }

    interface Derivation {
        byte[] derive(Task task) throws Exception;
    }

    /** An encryption under way: writes ciphertext to `output` and returns its length. */
    interface Encryption {
        int update(byte[] plaintext, int start, int length, byte[] output) throws Exception;

        int finish(byte[] output) throws Exception;
    }

    static final class NotOffered extends Exception {
        NotOffered(String message) {
            super(message);
        }
    }

    static final class Library {
        String name;
        String version;
        String provider;
        final Map<String, Factory<MessageDigest>> digests = new LinkedHashMap<>();
        final Map<String, Factory<Encryption>> ciphers = new LinkedHashMap<>();
        final Map<String, Derivation> passwords = new LinkedHashMap<>();
    }

    // ---- Libraries ----

    private static final Map<String, String> DIGEST_NAMES = pairs(
            "md4", "MD4", "md5", "MD5", "sha1", "SHA-1", "sha224", "SHA-224", "sha256", "SHA-256", "sha384", "SHA-384",
            "sha512", "SHA-512", "sha512-256", "SHA-512/256", "sha3-224", "SHA3-224", "sha3-256", "SHA3-256",
            "sha3-384", "SHA3-384", "sha3-512", "SHA3-512", "keccak256", "KECCAK-256", "blake2b", "BLAKE2B-512",
            "blake2s", "BLAKE2S-256", "blake3", "BLAKE3-256", "ripemd128", "RIPEMD128", "ripemd160", "RIPEMD160",
            "ripemd256", "RIPEMD256", "ripemd320", "RIPEMD320", "whirlpool", "WHIRLPOOL", "tiger", "TIGER", "sm3", "SM3",
            "streebog256", "GOST3411-2012-256", "streebog512", "GOST3411-2012-512");

    private static final Map<String, String> CIPHER_NAMES = pairs(
            "des-cbc", "DES", "des-ede3-cbc", "DESede", "rc2-128-cbc", "RC2", "aes-128-cbc", "AES");

    private static final Map<String, Integer> KEY_BYTES =
            Map.of("des-cbc", 8, "des-ede3-cbc", 24, "rc2-128-cbc", 16, "aes-128-cbc", 16);

    private static int blockBytes(String cipher) {
        return cipher.startsWith("aes") ? 16 : 8;
    }

    private static Library library(String name) throws Exception {
        return switch (name) {
            case "sun" -> jdk();
            case "bc" -> bouncyCastle();
            case "accp" -> provided("ACCP", "com.amazon.corretto.crypto.provider.AmazonCorrettoCryptoProvider");
            case "conscrypt" -> {
                Library library = provided("Conscrypt", "org.conscrypt.OpenSSLProvider");
                Object version = call("org.conscrypt.Conscrypt", "version"); // the provider itself says 1.0
                library.version = call(version, "major") + "." + call(version, "minor") + "." + call(version, "patch");
                yield library;
            }
            case "cryptix" -> cryptix();
            default -> throw new IllegalArgumentException("no library `" + name + "`");
        };
    }

    /** The providers that come with the JDK; each has its part. */
    private static Library jdk() {
        Library library = new Library();
        library.name = "JCA";
        library.version = System.getProperty("java.version");
        library.provider = "SUN, SunJCE";
        addFrom(library, Security.getProvider("SUN"));
        addFrom(library, Security.getProvider("SunJCE"));
        return library;
    }

    private static Library provided(String name, String providerClass) throws Exception {
        Provider provider = (Provider) Class.forName(providerClass).getConstructor().newInstance();
        Library library = new Library();
        library.name = name;
        library.version = provider.getVersionStr();
        library.provider = provider.getName();
        addFrom(library, provider);
        return library;
    }

    /** Everything that a provider of the JCA has, tried and not believed. */
    private static void addFrom(Library library, Provider provider) {
        DIGEST_NAMES.forEach((name, javaName) -> offerIfItWorks(library.digests, name,
                () -> MessageDigest.getInstance(javaName, provider)));
        CIPHER_NAMES.forEach((name, javaName) -> offerIfItWorks(library.ciphers, name, () -> encryption(name, javaName, provider)));
        try {
            SecretKeyFactory pbkdf2 = SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256", provider);
            library.passwords.put("pbkdf2-hmac-sha256", task -> pbkdf2.generateSecret(
                    new PBEKeySpec(PASSWORD.toCharArray(), SALT, task.integer("iterations"), 256)).getEncoded());
        } catch (NoSuchAlgorithmException absent) {
            // not offered
        }
    }

    private static <T> void offerIfItWorks(Map<String, Factory<T>> offered, String name, Factory<T> factory) {
        try {
            factory.make();
            offered.put(name, factory);
        } catch (Exception absent) {
            // not offered
        }
    }

    private static Encryption encryption(String name, String javaName, Provider provider) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance(javaName + "/CBC/NoPadding", provider);
        Key key = new SecretKeySpec(sequence(1, KEY_BYTES.get(name)), javaName);
        byte[] vector = sequence(0, blockBytes(name));
        cipher.init(Cipher.ENCRYPT_MODE, key,
                javaName.equals("RC2") ? new RC2ParameterSpec(128, vector) : new IvParameterSpec(vector));
        return new Encryption() {
            @Override
            public int update(byte[] plaintext, int start, int length, byte[] output) throws GeneralSecurityException {
                return cipher.update(plaintext, start, length, output);
            }

            @Override
            public int finish(byte[] output) throws GeneralSecurityException {
                return cipher.doFinal(output, 0);
            }
        };
    }

    private static Library bouncyCastle() throws Exception {
        Library library = provided("Bouncy Castle", "org.bouncycastle.jce.provider.BouncyCastleProvider");
        byte[] password = PASSWORD.getBytes(StandardCharsets.US_ASCII);
        String generators = "org.bouncycastle.crypto.generators.";
        library.passwords.put("scrypt", task -> (byte[]) call(generators + "SCrypt", "generate", password, SALT,
                task.integer("n"), task.integer("r"), task.integer("p"), 32));
        // Bcrypt hashes the 0 that ends a C string, too.
        library.passwords.put("bcrypt", task -> Arrays.copyOf((byte[]) call(generators + "BCrypt", "generate",
                Arrays.copyOf(password, password.length + 1), SALT, task.integer("cost")), 23));
        library.passwords.put("argon2id", task -> {
            Object builder = Class.forName("org.bouncycastle.crypto.params.Argon2Parameters$Builder")
                    .getConstructor(int.class).newInstance(2); // Argon2id
            call(builder, "withVersion", 0x13);
            call(builder, "withSalt", (Object) SALT);
            call(builder, "withIterations", task.integer("iterations"));
            call(builder, "withMemoryAsKB", task.integer("memory_kib"));
            call(builder, "withParallelism", task.integer("lanes"));
            Object generator = Class.forName(generators + "Argon2BytesGenerator").getConstructor().newInstance();
            call(generator, "init", call(builder, "build"));
            byte[] derived = new byte[32];
            call(generator, "generateBytes", password, derived);
            return derived;
        });
        return library;
    }

    /** Cryptix 3 is older than the JCE: its ciphers have classes of their own, and its digests are not registered. */
    private static Library cryptix() throws Exception {
        Provider provider = (Provider) Class.forName("cryptix.provider.Cryptix").getConstructor().newInstance();
        Security.addProvider(provider);
        Library library = new Library();
        library.name = "Cryptix";
        library.version = (String) call("cryptix.CryptixProperties", "getVersionString");
        library.provider = provider.getName();
        pairs("md4", "MD4", "md5", "MD5", "sha1", "SHA1", "ripemd128", "RIPEMD128", "ripemd160", "RIPEMD160")
                .forEach((name, className) -> offerIfItWorks(library.digests, name, () -> (MessageDigest)
                        Class.forName("cryptix.provider.md." + className).getConstructor().newInstance()));
        pairs("des-cbc", "DES", "des-ede3-cbc", "DES-EDE3", "rc2-128-cbc", "RC2", "aes-128-cbc", "Rijndael")
                .forEach((name, cipherName) -> offerIfItWorks(library.ciphers, name, () -> cryptixEncryption(name, cipherName)));
        return library;
    }

    private static Encryption cryptixEncryption(String name, String cipherName) throws Exception {
        Class<?> cipherClass = Class.forName("xjava.security.Cipher");
        Object cipher = cipherClass.getMethod("getInstance", String.class, String.class)
                .invoke(null, cipherName + "/CBC/NONE", "Cryptix");
        byte[] vector = sequence(0, blockBytes(name));
        Class.forName("xjava.security.FeedbackCipher").getMethod("setInitializationVector", byte[].class).invoke(cipher, vector);
        cipherClass.getMethod("initEncrypt", Key.class)
                .invoke(cipher, new SecretKeySpec(sequence(1, KEY_BYTES.get(name)), cipherName));
        Method update = cipherClass.getMethod("update", byte[].class, int.class, int.class, byte[].class, int.class);
        return new Encryption() {
            @Override
            public int update(byte[] plaintext, int start, int length, byte[] output) throws ReflectiveOperationException {
                return (int) update.invoke(cipher, plaintext, start, length, output, 0);
            }

            @Override
            public int finish(byte[] output) {
                return 0;
            }
        };
    }

    /** Calls the one public method of this name and number of parameters: of a class, where `target` is its name, or an object. */
    private static Object call(Object target, String method, Object... arguments) throws Exception {
        Class<?> type = target instanceof String name ? Class.forName(name) : target.getClass();
        for (Method candidate : type.getMethods()) {
            if (candidate.getName().equals(method) && candidate.getParameterCount() == arguments.length
                    && (arguments.length == 0 || fits(candidate.getParameterTypes()[0], arguments[0]))) {
                try {
                    return candidate.invoke(target instanceof String ? null : target, arguments);
                } catch (InvocationTargetException failure) {
                    throw failure.getCause() instanceof Exception cause ? cause : failure;
                }
            }
        }
        throw new NoSuchMethodException(type + "." + method);
    }

    private static boolean fits(Class<?> parameter, Object argument) {
        return parameter.isInstance(argument) || parameter == int.class && argument instanceof Integer;
    }

    private static Map<String, String> pairs(String... namesAndValues) {
        Map<String, String> pairs = new LinkedHashMap<>();
        for (int index = 0; index < namesAndValues.length; index += 2) {
            pairs.put(namesAndValues[index], namesAndValues[index + 1]);
        }
        return pairs;
    }

    private static byte[] sequence(int first, int length) {
        byte[] bytes = new byte[length];
        for (int index = 0; index < length; index++) {
            bytes[index] = (byte) (first + index);
        }
        return bytes;
    }

    // ---- Modes: each prepares outside the clock and returns the pass that is timed ----

    interface Pass {
        String run(boolean checking) throws Exception;
    }

    private static final class Digest implements Consumer {
        private final MessageDigest digest;

        Digest(MessageDigest digest) {
            this.digest = digest;
        }

        @Override
        public void update(byte[] data, int start, int length) {
            digest.update(data, start, length);
        }

        @Override
        public byte[] finish() {
            return digest.digest();
        }
    }

    /** Keeps the last block, or with `whole` the digest of the whole ciphertext. */
    private static final class Ciphertext implements Consumer {
        private final Encryption encryption;
        private final MessageDigest whole;
        private final byte[] lastBlock;
        private byte[] output = new byte[0];

        Ciphertext(Encryption encryption, int blockBytes, MessageDigest whole) {
            this.encryption = encryption;
            this.whole = whole;
            this.lastBlock = new byte[blockBytes];
        }

        @Override
        public void update(byte[] data, int start, int length) throws Exception {
            if (output.length < length + 2 * lastBlock.length) {
                output = new byte[length + 2 * lastBlock.length]; // a library may hold a block back, and hand it over later
            }
            keep(encryption.update(data, start, length, output));
        }

        @Override
        public byte[] finish() throws Exception {
            keep(encryption.finish(output));
            return whole == null ? lastBlock : whole.digest();
        }

        private void keep(int length) {
            if (length > 0) {
                System.arraycopy(output, length - lastBlock.length, lastBlock, 0, lastBlock.length);
            }
            if (whole != null) {
                whole.update(output, 0, length);
            }
        }
    }

    private static Pass prepare(Library library, Task task) throws Exception {
        String algorithm = task.text("algorithm");
        return switch (task.text("mode")) {
            case "digest" -> inMemory(task, digestFactory(library, algorithm));
            case "digest-file" -> fromFile(task, digestFactory(library, algorithm));
            case "cipher" -> inMemory(task, cipherFactory(library, algorithm));
            case "cipher-file" -> {
                ConsumerFactory factory = cipherFactory(library, algorithm);
                yield fromFile(task, checking -> factory.make(false));
            }
            case "read-file" -> checking -> Long.toString(readPieces(task, null));
            case "strings" -> digestEach(offered(library.digests, algorithm), () -> strings(task));
            case "messages" -> digestEach(offered(library.digests, algorithm), () -> messages(task));
            case "password" -> password(task, offered(library.passwords, algorithm));
            default -> throw new NotOffered("unknown mode");
        };
    }

    interface ConsumerFactory {
        Consumer make(boolean checking) throws Exception;
    }

    private static ConsumerFactory digestFactory(Library library, String algorithm) throws NotOffered {
        Factory<MessageDigest> factory = offered(library.digests, algorithm);
        return checking -> new Digest(factory.make());
    }

    private static ConsumerFactory cipherFactory(Library library, String algorithm) throws NotOffered {
        Factory<Encryption> factory = offered(library.ciphers, algorithm);
        return checking -> new Ciphertext(factory.make(), blockBytes(algorithm),
                checking ? MessageDigest.getInstance("SHA-256") : null);
    }

    private static <T> T offered(Map<String, T> choices, String algorithm) throws NotOffered {
        T choice = choices.get(algorithm);
        if (choice == null) {
            throw new NotOffered(algorithm + " is not in this library");
        }
        return choice;
    }

    private static Pass inMemory(Task task, ConsumerFactory factory) throws Exception {
        List<byte[]> arrays = load(task);
        int chunkBytes = task.chunkBytes();
        return checking -> {
            Consumer consumer = factory.make(checking);
            for (byte[] array : arrays) {
                for (int start = 0; start < array.length; start += chunkBytes) {
                    consumer.update(array, start, Math.min(chunkBytes, array.length - start));
                }
            }
            return HexFormat.of().formatHex(consumer.finish());
        };
    }

    /**
     * Reads the file into arrays of one chunk each: a library behind JNI may copy the whole array for every update of a part.
     * Chunks below a page share an array of about a page, or there would be more headers than data.
     */
    private static List<byte[]> load(Task task) throws IOException {
        int chunkBytes = task.chunkBytes();
        int arrayBytes = chunkBytes >= 4096 ? chunkBytes : chunkBytes * (4096 / chunkBytes);
        List<byte[]> arrays = new ArrayList<>();
        long total = 0;
        try (InputStream file = new FileInputStream(task.text("path"))) {
            byte[] array;
            while ((array = file.readNBytes(arrayBytes)).length > 0) {
                arrays.add(array);
                total += array.length;
            }
        }
        task.expectBytes(total);
        return arrays;
    }

    private static Pass fromFile(Task task, ConsumerFactory factory) {
        return checking -> {
            Consumer consumer = factory.make(checking);
            readPieces(task, consumer);
            return HexFormat.of().formatHex(consumer.finish());
        };
    }

    private static long readPieces(Task task, Consumer consumer) throws Exception {
        byte[] piece = new byte[task.chunkBytes()];
        long total = 0;
        try (InputStream file = new FileInputStream(task.text("path"))) {
            int length;
            while ((length = file.readNBytes(piece, 0, piece.length)) > 0) {
                if (consumer != null) {
                    consumer.update(piece, 0, length);
                }
                total += length;
            }
        }
        task.expectBytes(total);
        return total;
    }

    private static byte[] loadWhole(Task task) throws IOException {
        byte[] data = Files.readAllBytes(Path.of(task.text("path")));
        task.expectBytes(data.length);
        return data;
    }

    private static List<byte[]> strings(Task task) throws IOException {
        byte[] data = loadWhole(task);
        List<byte[]> strings = new ArrayList<>();
        for (int start = 0, end = 0; end < data.length; end++) {
            if (data[end] == '\n') {
                strings.add(Arrays.copyOfRange(data, start, end));
                start = end + 1;
            }
        }
        return strings;
    }

    private static List<byte[]> messages(Task task) throws IOException {
        byte[] data = loadWhole(task);
        int count = task.integer("count");
        if (data.length == 0 || count == 0 || data.length % count != 0) {
            throw new IOException(data.length + " bytes are not " + count + " messages of one length");
        }
        int length = data.length / count;
        List<byte[]> messages = new ArrayList<>();
        for (int start = 0; start < data.length; start += length) {
            messages.add(Arrays.copyOfRange(data, start, start + length));
        }
        return messages;
    }

    private static Pass digestEach(Factory<MessageDigest> factory, Factory<List<byte[]>> split) throws Exception {
        List<byte[]> messages = split.make();
        MessageDigest digest = factory.make(); // digest() leaves it ready for the next message
        return checking -> {
            MessageDigest every = checking ? factory.make() : null;
            byte[] last = new byte[0];
            for (byte[] message : messages) {
                last = digest.digest(message);
                if (every != null) {
                    every.update(last);
                }
            }
            return HexFormat.of().formatHex(every == null ? last : every.digest());
        };
    }

    private static Pass password(Task task, Derivation derivation) {
        long count = task.number("count");
        return checking -> {
            byte[] derived = new byte[0];
            for (long index = 0; index < count; index++) {
                derived = derivation.derive(task);
            }
            return HexFormat.of().formatHex(derived);
        };
    }

    // ---- The conversation ----

    /** A task: a flat object of JSON, for which the JDK has no reader. */
    static final class Task {
        private static final Pattern STRING = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*+)\"");
        private static final Pattern FIELD = Pattern.compile(STRING + "\\s*:\\s*(?:" + STRING + "|([^\\s,}]+))");
        private static final Pattern ESCAPE = Pattern.compile("\\\\(?:u([0-9a-fA-F]{4})|(.))");
        private final Map<String, String> fields = new HashMap<>();

        Task(String line) {
            for (Matcher field = FIELD.matcher(line); field.find(); ) {
                fields.put(unescape(field.group(1)), field.group(2) == null ? field.group(3) : unescape(field.group(2)));
            }
        }

        private static String unescape(String text) {
            return ESCAPE.matcher(text).replaceAll(escape -> Matcher.quoteReplacement(escape.group(1) != null
                    ? Character.toString((char) Integer.parseInt(escape.group(1), 16))
                    : switch (escape.group(2)) {
                        case "n" -> "\n";
                        case "t" -> "\t";
                        case "r" -> "\r";
                        case "b" -> "\b";
                        case "f" -> "\f";
                        default -> escape.group(2);
                    }));
        }

        private Task(Map<String, String> others) {
            fields.putAll(others);
        }

        /** The same task but for one field. */
        Task with(String name, String value) {
            Task task = new Task(fields);
            task.fields.put(name, value);
            return task;
        }

        boolean has(String name) {
            return fields.containsKey(name);
        }

        String text(String name) {
            return fields.getOrDefault(name, "");
        }

        long number(String name) {
            return Long.parseLong(fields.getOrDefault(name, "0"));
        }

        int integer(String name) {
            return Math.toIntExact(number(name));
        }

        /** The size of an update; all bytes, and one more to see the end of the file, where the task says 0. */
        int chunkBytes() {
            return integer("chunk_bytes") > 0 ? integer("chunk_bytes") : Math.addExact(integer("bytes"), 1);
        }

        void expectBytes(long found) throws IOException {
            if (found != number("bytes")) {
                throw new IOException("the file has " + found + " bytes, the task says " + number("bytes"));
            }
        }
    }

    private static final PrintStream OUT = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);

    private static String quote(String text) {
        return text.chars().mapToObj(character -> character < 0x20 || character == '"' || character == '\\'
                ? String.format("\\u%04x", character) : Character.toString(character))
                .collect(Collectors.joining("", "\"", "\""));
    }

    private static long cpuNanoseconds() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    /** The smallest step seen of a clock whose step the JDK does not tell. */
    private static long clockStep() {
        long step = Long.MAX_VALUE;
        for (int attempt = 0; attempt < 5; attempt++) {
            long start = cpuNanoseconds();
            long now = start;
            while (now == start) {
                now = cpuNanoseconds();
            }
            step = Math.min(step, now - start);
        }
        return step;
    }

    private static long peakBytes() {
        try {
            for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
                if (line.startsWith("VmHWM:")) {
                    return Long.parseLong(line.replaceAll("\\D", "")) * 1024;
                }
            }
        } catch (IOException elsewhere) {
            // not Linux: the heap, which is most of it
        }
        return Runtime.getRuntime().totalMemory();
    }

    private static long collections() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .mapToLong(GarbageCollectorMXBean::getCollectionCount).sum();
    }

    private static long collectionNanoseconds() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .mapToLong(GarbageCollectorMXBean::getCollectionTime).sum() * 1_000_000;
    }

    private static void carryOut(Library library, Task task) throws Exception {
        long id = task.number("id");
        long collections = collections();
        long collectionNanoseconds = collectionNanoseconds();
        Pass pass = prepare(library, task);
        OUT.printf("{\"type\":\"check\",\"id\":%d,\"answer\":\"%s\"}%n", id, pass.run(true));
        for (long index = 0; index < task.number("warm_up"); index++) {
            pass.run(false);
        }
        for (long repeat = 0; repeat < task.number("repeats"); repeat++) {
            if (task.has("repeat_path")) { // other data for each repeat
                pass = prepare(library, task.with("path", task.text("repeat_path") + repeat));
                OUT.printf("{\"type\":\"begin\",\"id\":%d,\"repeat\":%d}%n", id, repeat);
            }
            long wall = System.nanoTime();
            long cpu = cpuNanoseconds();
            String answer = pass.run(false);
            cpu = cpuNanoseconds() - cpu;
            wall = System.nanoTime() - wall;
            OUT.printf("{\"type\":\"sample\",\"id\":%d,\"repeat\":%d,\"wall_ns\":%d,\"cpu_ns\":%d,\"answer\":\"%s\"}%n",
                    id, repeat, wall, cpu, answer);
        }
        OUT.printf("{\"type\":\"done\",\"id\":%d,\"gc_count\":%d,\"gc_ns\":%d,\"peak_bytes\":%d}%n",
                id, collections() - collections, collectionNanoseconds() - collectionNanoseconds, peakBytes());
    }

    private static void hello(Library library) {
        List<String> algorithms = new ArrayList<>(library.digests.keySet());
        algorithms.addAll(library.ciphers.keySet());
        algorithms.addAll(library.passwords.keySet());
        OUT.printf("{\"type\":\"hello\",\"protocol\":1,\"language\":\"Java\",\"language_version\":%s,\"library\":%s,"
                + "\"library_version\":%s,\"provider\":%s,\"backend\":\"\",\"stand_in\":false,\"varies\":true,\"clock_ns\":%d,\"algorithms\":[%s]}%n",
                quote(System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version")), quote(library.name),
                quote(library.version), quote(library.provider), clockStep(),
                algorithms.stream().map(Runner::quote).collect(Collectors.joining(",")));
    }

    public static void main(String[] arguments) throws Exception {
        Library library;
        try {
            library = library(arguments[0]);
        } catch (ReflectiveOperationException | LinkageError absent) {
            OUT.printf("{\"type\":\"unavailable\",\"message\":%s}%n", quote(absent.toString()));
            return;
        }
        hello(library);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line; (line = in.readLine()) != null; ) {
            Task task = new Task(line);
            try {
                carryOut(library, task);
            } catch (NotOffered reason) {
                answer("not-offered", task, reason.getMessage());
            } catch (Exception | OutOfMemoryError failure) { // whatever a library throws ends the task, not the runner
                answer("error", task, failure.toString());
            }
        }
    }

    private static void answer(String type, Task task, String message) {
        OUT.printf("{\"type\":\"%s\",\"id\":%d,\"message\":%s}%n", type, task.number("id"), quote(message));
    }
}
