package io.leasehold.server;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;

import io.leasehold.test.contract.JvmProcess;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Ports}.
 */
class PortsTests {

	@Test
	void portBelongsToOneJvmUntilItEnds() throws IOException {
		int here = Ports.free();
		int there;
		try (JvmProcess other = JvmProcess.start(Other.class, List.of())) {
			other.tell("free");
			there = Integer.parseInt(other.expect("port"));
			assertThat(Ports.reserve(there)).isFalse();
			assertThat(reserves(other, here)).isFalse();
		}
		try (JvmProcess next = JvmProcess.start(Other.class, List.of())) {
			assertThat(reserves(next, there)).isTrue();
		}
	}

	private static boolean reserves(JvmProcess process, int port) {
		process.tell(Integer.toString(port));
		return Boolean.parseBoolean(process.expect("reserved"));
	}

	/**
	 * Another JVM that needs ports.
	 */
	static final class Other {

		private Other() {
		}

		public static void main(String[] args) throws IOException {
			BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
			for (String line = commands.readLine(); line != null; line = commands.readLine()) {
				System.out.println(line.equals("free") ? "port " + Ports.free()
						: "reserved " + Ports.reserve(Integer.parseInt(line)));
			}
		}

	}

}
