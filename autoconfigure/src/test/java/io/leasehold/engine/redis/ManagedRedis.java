package io.leasehold.engine.redis;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.lettuce.core.codec.Base16;
import org.jspecify.annotations.Nullable;

/**
 * A managed service that is emulated by a proxy in front of a real server: it rejects
 * what the documentation of the service says, at the same moment, and passes on all other
 * requests. A response of its own is sent by the server, so that responses keep their
 * order. Thread-safe.
 */
final class ManagedRedis implements AutoCloseable {

	private final Service service;

	private final int target;

	private final ServerSocket entrance;

	private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

	private final Map<String, Text> texts = new ConcurrentHashMap<>();

	/** Texts that were accepted, by their digests. */
	private final Map<String, Text> accepted = new ConcurrentHashMap<>();

	private final Queue<String> rejections = new ConcurrentLinkedQueue<>();

	private final Queue<String> runs = new ConcurrentLinkedQueue<>();

	private volatile @Nullable String info;

	private ManagedRedis(Service service, int target) throws IOException {
		this.service = service;
		this.target = target;
		this.entrance = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
	}

	/** Start a service in front of a server's port. */
	static ManagedRedis start(Service service, int target) {
		try {
			ManagedRedis redis = new ManagedRedis(service, target);
			start(redis::accept);
			return redis;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Report this about the server from now on, instead of what is true. */
	void report(String info) {
		this.info = info;
	}

	int port() {
		return this.entrance.getLocalPort();
	}

	/** Texts of the scripts that were rejected before they ran, for each request. */
	Queue<String> rejections() {
		return this.rejections;
	}

	/** Texts of the scripts that ran, for each request. */
	Queue<String> runs() {
		return this.runs;
	}

	private void accept() throws IOException {
		while (true) {
			Socket client = this.entrance.accept();
			Socket server = new Socket(InetAddress.getLoopbackAddress(), this.target);
			client.setTcpNoDelay(true);
			server.setTcpNoDelay(true);
			this.sockets.addAll(List.of(client, server));
			start(() -> passRequests(client, server));
			start(() -> passResponses(server, client));
		}
	}

	private void passRequests(Socket client, Socket server) throws IOException {
		try (server) {
			InputStream in = new BufferedInputStream(client.getInputStream());
			OutputStream out = new BufferedOutputStream(server.getOutputStream());
			for (List<String> request = read(in); request != null; request = read(in)) {
				write(out, forwarded(request));
				if (in.available() == 0) {
					out.flush();
				}
			}
		}
	}

	private static void passResponses(Socket server, Socket client) throws IOException {
		try (client) {
			server.getInputStream().transferTo(client.getOutputStream());
		}
	}

	private List<String> forwarded(List<String> request) {
		return switch (request.get(0)) {
			case "EVAL", "EVALSHA" -> script(request);
			case "INFO" -> {
				String reported = this.info;
				yield (reported != null) ? eval("return ARGV[1]", reported) : request;
			}
			case "CLUSTER" ->
				eval("return {{0, 16383, {'127.0.0.1', tonumber(ARGV[1]), 'node'}}}", Integer.toString(port()));
			default -> request;
		};
	}

	private List<String> script(List<String> request) {
		boolean isText = request.get(0).equals("EVAL");
		Text text = isText ? this.texts.computeIfAbsent(request.get(1), this::check)
				: this.accepted.get(request.get(1));
		if (text == null) {
			return error("NOSCRIPT No matching script. Please use EVAL.");
		}
		List<String> keys = request.subList(3, 3 + Integer.parseInt(request.get(2)));
		String rejection = (text.rejection() != null) ? text.rejection() : this.service.rejectionOfKeys(keys);
		((rejection != null) ? this.rejections : this.runs).add(text.text());
		if (rejection != null) {
			return error(rejection);
		}
		this.accepted.put(text.digest(), text);
		List<String> run = new ArrayList<>(request);
		run.set(1, isText ? text.run() : text.digestOfRun());
		return run;
	}

	private Text check(String text) {
		String run = this.service.run(text);
		return new Text(text, digest(text), this.service.rejectionOfText(text), run, digest(run));
	}

	private static String digest(String text) {
		return Base16.digest(text.getBytes(StandardCharsets.UTF_8));
	}

	private static List<String> error(String message) {
		return eval("return redis.error_reply(ARGV[1])", message);
	}

	private static List<String> eval(String text, String argument) {
		return List.of("EVAL", text, "0", argument);
	}

	/** Read a request: a list of strings. */
	private static @Nullable List<String> read(InputStream in) throws IOException {
		String head = line(in);
		if (head == null) {
			return null;
		}
		List<String> words = new ArrayList<>();
		for (int i = Integer.parseInt(head.substring(1)); i > 0; i--) {
			int size = Integer.parseInt(String.valueOf(line(in)).substring(1));
			words.add(new String(in.readNBytes(size), StandardCharsets.UTF_8));
			in.skipNBytes(2);
		}
		return words;
	}

	private static @Nullable String line(InputStream in) throws IOException {
		StringBuilder line = new StringBuilder();
		for (int c = in.read(); c != '\r'; c = in.read()) {
			if (c < 0) {
				return null;
			}
			line.append((char) c);
		}
		in.skipNBytes(1);
		return line.toString();
	}

	private static void write(OutputStream out, List<String> request) throws IOException {
		out.write(("*" + request.size() + "\r\n").getBytes(StandardCharsets.US_ASCII));
		for (String word : request) {
			byte[] bytes = word.getBytes(StandardCharsets.UTF_8);
			out.write(("$" + bytes.length + "\r\n").getBytes(StandardCharsets.US_ASCII));
			out.write(bytes);
			out.write("\r\n".getBytes(StandardCharsets.US_ASCII));
		}
	}

	private static void start(Pump pump) {
		Thread thread = new Thread(() -> {
			try {
				pump.run();
			}
			catch (IOException ex) {
				// The end of a connection
			}
		}, "managed-redis");
		thread.setDaemon(true);
		thread.start();
	}

	@Override
	public void close() throws IOException {
		this.entrance.close();
		for (Socket socket : this.sockets) {
			socket.close();
		}
	}

	@FunctionalInterface
	private interface Pump {

		void run() throws IOException;

	}

	/**
	 * Text of a script.
	 *
	 * @param rejection the error with which the service rejects it, or null
	 * @param run what the server runs in its place
	 */
	private record Text(String text, String digest, @Nullable String rejection, String run, String digestOfRun) {
	}

	/** Kind of service. */
	enum Service {

		/** Cluster of Tair (Alibaba Cloud) in proxy mode: checks the text of a script. */
		TAIR_PROXY {

			@Override
			@Nullable String rejectionOfText(String text) {
				return ScriptRules.rejectionByTair(text);
			}

			@Override
			@Nullable String rejectionOfKeys(List<String> keys) {
				return ScriptRules.rejectionByTair(keys);
			}

		},

		/**
		 * ElastiCache Serverless: a cluster of one node. A script publishes only to
		 * channels of the slot of its keys, and fails after its earlier writes otherwise.
		 */
		ELASTICACHE_SERVERLESS {

			@Override
			@Nullable String rejectionOfKeys(List<String> keys) {
				return ScriptRules.rejectionByServerless(keys);
			}

			@Override
			String run(String text) {
				return PUBLISH_FAILS.replace('\n', ' ') + text;
			}

		};

		private static final String PUBLISH_FAILS = """
				local server = redis
				local redis = {error_reply = server.error_reply}
				local rejection = 'ERR Script attempted to access keys that do not hash to the same slot'
				function redis.call(command, ...)
					if command == 'PUBLISH' then
						error(rejection)
					end
					return server.call(command, ...)
				end
				function redis.pcall(command, ...)
					if command == 'PUBLISH' then
						return server.error_reply(rejection)
					end
					return server.pcall(command, ...)
				end
				""";

		/** Return the error with which the service rejects a text, or null. */
		@Nullable String rejectionOfText(String text) {
			return null;
		}

		/** Return the error with which the service rejects the keys, or null. */
		abstract @Nullable String rejectionOfKeys(List<String> keys);

		/** Return what the server runs in place of a script. */
		String run(String text) {
			return text;
		}

	}

}
