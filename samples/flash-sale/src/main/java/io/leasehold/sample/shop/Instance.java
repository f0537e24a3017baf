package io.leasehold.sample.shop;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * This instance of the shop, known by its port.
 */
@Component
public class Instance {

	private static final String PREFIX = "shop-";

	private volatile String port;

	public Instance(@Value("${server.port:8080}") String port) {
		this.port = port;
	}

	@EventListener
	void started(WebServerInitializedEvent event) {
		this.port = Integer.toString(event.getWebServer().getPort());
	}

	public String name() {
		return PREFIX + this.port;
	}

	/**
	 * Return the port of an instance.
	 * @param name its name
	 * @return its port
	 */
	public static int portOf(String name) {
		return Integer.parseInt(name.substring(PREFIX.length()));
	}

	/**
	 * Return the command that starts another instance as this one was started.
	 * @param port the port of the other one
	 * @return the command, for a shell
	 */
	public String commandForAnother(int port) {
		List<String> arguments = List.of(ProcessHandle.current().info().arguments().orElse(new String[0]));
		int jar = Math.max(0, arguments.indexOf("-jar"));
		Stream<String> same = arguments.subList(jar, arguments.size())
			.stream()
			.filter((argument) -> !argument.startsWith("--server.port="))
			.map(Instance::quoted);
		String folder = quoted(System.getProperty("user.dir"));
		return Stream.of(Stream.of("cd", folder, "&&", "java"), same, Stream.of("--server.port=" + port))
			.flatMap(Function.identity())
			.collect(Collectors.joining(" "));
	}

	private static String quoted(String argument) {
		return argument.matches("[\\w./:=-]+") ? argument : "'" + argument.replace("'", "'\\''") + "'";
	}

	public long process() {
		return ProcessHandle.current().pid();
	}

}
