package io.leasehold.engine.etcd;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Responses whose body cannot be read: their connection breaks.
 */
class ResponseBodyTests {

	@ParameterizedTest
	@CsvSource({ "400,3", "401,16", "403,7", "404,5", "412,9", "429,8", "501,12" })
	void statusOfAnErrorIsEnough(int status, int code) {
		assertThatExceptionOfType(EtcdException.class)
			.isThrownBy(() -> request(status, "Trailer: Grpc-Trailer-Content-Type\r\n"))
			.withMessageContaining("rejected the request with status " + status)
			.satisfies((ex) -> assertThat(ex.code()).isEqualTo(code))
			.matches(EtcdException::isRejection);
	}

	@ParameterizedTest
	@CsvSource({ "200", "500", "503" })
	void otherRequestsMayHaveBeenExecuted(int status) {
		assertThatExceptionOfType(EtcdException.class)
			.isThrownBy(() -> request(status, "Trailer: Grpc-Trailer-Content-Type\r\n"))
			.withMessageContaining("did not respond")
			.matches((ex) -> !ex.isRejection());
	}

	@Test
	void statusWithoutTrailersIsNotEtcds() {
		assertThatExceptionOfType(EtcdException.class).isThrownBy(() -> request(404, ""))
			.withMessageContaining("did not respond")
			.matches((ex) -> !ex.isRejection());
	}

	/** Send a request to a server that breaks off its response after the headers. */
	private static void request(int status, String headers) throws Exception {
		try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
			CompletableFuture.runAsync(() -> respond(server, status, headers));
			Store store = EtcdEngines.connection("http://127.0.0.1:" + server.getLocalPort())
				.connect(EtcdEngines.CALL_TIMEOUT);
			store.transactAt(store.members().present(), List.of(), EtcdOperator.deadline());
		}
	}

	private static void respond(ServerSocket server, int status, String headers) {
		try (Socket client = server.accept()) {
			client.getInputStream().read();
			client.getOutputStream()
				.write("HTTP/1.1 %d x\r\n%sTransfer-Encoding: chunked\r\n\r\n5\r\n{".formatted(status, headers)
					.getBytes(StandardCharsets.US_ASCII));
			client.shutdownOutput();
			client.getInputStream().readAllBytes();
		}
		catch (IOException ex) {
			// the client has closed the connection
		}
	}

}
