package io.leasehold.engine.redis;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;

import io.leasehold.LockKey;
import io.leasehold.engine.redis.connection.Script;
import io.leasehold.server.RedisTestServer;

/**
 * Measurement of the server's processor time for a free lock and its release. Requests
 * are pipelined on one connection, so that nothing but the server counts. Ways to lock
 * take turns in rounds of a run; their ratios to the first way, the bare commands, are
 * comparable between machines, the times are not. Start {@link #main}; the argument is
 * the number of rounds, 15 by default.
 */
final class RedisServerCost implements AutoCloseable {

	private static final int KEYS = 500;

	private static final int TURNS_PER_ROUND = 12;

	private static final String COMPARE_AND_DELETE = "if redis.call('GET', KEYS[1]) == ARGV[1] then "
			+ "return redis.call('DEL', KEYS[1]) end return 0";

	private static final String LEASE = "30000";

	private static final String RETENTION = "604800000";

	private final Map<String, Way> ways = new LinkedHashMap<>();

	private final RedisTestServer server = RedisTestServer.start();

	private final Socket socket = new Socket("127.0.0.1", this.server.port());

	private final InputStream in = new BufferedInputStream(this.socket.getInputStream(), 1 << 16);

	private final OutputStream out = this.socket.getOutputStream();

	private RedisServerCost() throws IOException {
		String compareAndDelete = new String(request("SCRIPT", "LOAD", COMPARE_AND_DELETE));
		add("SET NX PX, compare and delete", (i) -> words("SET", key(i).lock(), claim(i), "NX", "PX", LEASE),
				(i) -> words("EVALSHA", compareAndDelete, "1", key(i).lock(), claim(i)));
		add("scripts for a free lock", (i) -> run(Scripts.ACQUIRE_FREE, key(i).ofFree(), claim(i), LEASE, RETENTION),
				(i) -> run(Scripts.RELEASE_SOLE, key(i).ofExclusive(), claim(i)));
		add("whole scripts",
				(i) -> run(Scripts.ACQUIRE.publishing(), key(i).all(), claim(i), RETENTION, "leasehold:inbox:", "5000",
						LEASE, "+", "8000"),
				(i) -> run(Scripts.CLOSE.publishing(), key(i).all(), claim(i), RETENTION, "leasehold:inbox:", "5000",
						"0"));
	}

	/**
	 * Print medians, and the range of the ratios of all rounds.
	 */
	public static void main(String[] arguments) throws IOException {
		int rounds = (arguments.length > 0) ? Integer.parseInt(arguments[0]) : 15;
		try (RedisServerCost cost = new RedisServerCost()) {
			cost.round();
			for (int i = 0; i < rounds; i++) {
				cost.ways.values().forEach((way) -> way.micros.add(0.0));
				cost.round();
			}
			cost.print();
		}
	}

	private void round() throws IOException {
		for (Way way : this.ways.values()) {
			request("FLUSHALL");
			turn(way);
			double before = processorMicros();
			for (int i = 0; i < TURNS_PER_ROUND; i++) {
				turn(way);
			}
			if (!way.micros.isEmpty()) {
				way.micros.set(way.micros.size() - 1, (processorMicros() - before) / TURNS_PER_ROUND / KEYS);
			}
		}
	}

	private void turn(Way way) throws IOException {
		send(way.acquire);
		send(way.release);
	}

	/** Send requests of all keys and read their responses. */
	private void send(byte[] requests) throws IOException {
		this.out.write(requests);
		for (int i = 0; i < KEYS; i++) {
			read();
		}
	}

	private double processorMicros() throws IOException {
		return new String(request("INFO", "cpu")).lines()
			.filter((line) -> line.startsWith("used_cpu_") && line.contains("_main_thread"))
			.mapToDouble((line) -> Double.parseDouble(line.substring(line.indexOf(':') + 1)) * 1_000_000)
			.sum();
	}

	private void print() {
		double[] floor = this.ways.values().iterator().next().all();
		this.ways.forEach((name, way) -> {
			double[] all = way.all();
			double[] ratios = new double[all.length];
			Arrays.setAll(ratios, (i) -> all[i] / floor[i]);
			System.out.printf("%-30s %6.2f us, %.2f of the first (%.2f to %.2f)%n", name, median(all), median(ratios),
					Arrays.stream(ratios).min().orElseThrow(), Arrays.stream(ratios).max().orElseThrow());
		});
	}

	private static double median(double[] values) {
		return Arrays.stream(values).sorted().toArray()[values.length / 2];
	}

	private void add(String name, IntFunction<byte[]> acquire, IntFunction<byte[]> release) {
		this.ways.put(name, new Way(all(acquire), all(release), new ArrayList<>()));
	}

	private static byte[] all(IntFunction<byte[]> request) {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		for (int i = 0; i < KEYS; i++) {
			bytes.writeBytes(request.apply(i));
		}
		return bytes.toByteArray();
	}

	private byte[] run(Script<?> script, String[] keys, String... arguments) {
		try {
			request("SCRIPT", "LOAD", script.text());
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
		List<String> words = new ArrayList<>(List.of("EVALSHA", script.digest(), Integer.toString(keys.length)));
		words.addAll(List.of(keys));
		words.addAll(List.of(arguments));
		return words(words.toArray(String[]::new));
	}

	private static RedisKeys key(int i) {
		return RedisKeys.of("leasehold", new LockKey("order:" + i));
	}

	private static String claim(int i) {
		return "shop@web-3:5215:0f3a5b7c9d1e2f30/http-nio-8080-exec-10/0f3a5b7c9d%06x".formatted(i);
	}

	private byte[] request(String... words) throws IOException {
		this.out.write(words(words));
		return read();
	}

	private static byte[] words(String... words) {
		StringBuilder text = new StringBuilder("*" + words.length + "\r\n");
		for (String word : words) {
			text.append('$').append(word.length()).append("\r\n").append(word).append("\r\n");
		}
		return text.toString().getBytes(StandardCharsets.US_ASCII);
	}

	/** Read a response; the elements of a list are skipped. */
	private byte[] read() throws IOException {
		String line = line();
		int size = (line.charAt(0) == '$' || line.charAt(0) == '*') ? Integer.parseInt(line.substring(1)) : -1;
		if (line.charAt(0) == '-' || line.equals(":0")) {
			throw new IllegalStateException("Not acquired or not released: " + line);
		}
		if (line.charAt(0) == '*') {
			for (int i = 0; i < size; i++) {
				read();
			}
			return new byte[0];
		}
		if (size < 0) {
			return line.getBytes(StandardCharsets.US_ASCII);
		}
		byte[] bulk = this.in.readNBytes(size);
		this.in.skipNBytes(2);
		return bulk;
	}

	private String line() throws IOException {
		StringBuilder line = new StringBuilder();
		for (int c = this.in.read(); c != '\r'; c = this.in.read()) {
			line.append((char) c);
		}
		this.in.skipNBytes(1);
		return line.toString();
	}

	@Override
	public void close() throws IOException {
		this.socket.close();
		this.server.close();
	}

	/** Requests of all keys, and the server's time for a turn in each round. */
	private record Way(byte[] acquire, byte[] release, List<Double> micros) {

		double[] all() {
			return this.micros.stream().mapToDouble(Double::doubleValue).toArray();
		}

	}

}
