package io.leasehold.engine.etcd;

import java.io.IOException;
import java.net.ConnectException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.UnresolvedAddressException;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Descriptions of failures by {@link ResponseBody}.
 */
class FailureReasonTests {

	@Test
	void failureToConnectIsDescribedAlthoughTheClientGivesNoReason() {
		assertThat(ResponseBody.reason(refused(new ClosedChannelException()))).isEqualTo("connection failed");
		assertThat(ResponseBody.reason(refused(new UnresolvedAddressException()))).isEqualTo("unknown host");
	}

	@Test
	void otherFailuresAreNamed() {
		assertThat(ResponseBody.reason(new ConnectException("Permission denied")))
			.isEqualTo("java.net.ConnectException: Permission denied");
		assertThat(ResponseBody.reason(new IOException("Connection reset")))
			.isEqualTo("java.io.IOException: Connection reset");
	}

	private static Throwable refused(Throwable cause) {
		return new ConnectException().initCause(cause);
	}

}
