package io.leasehold.engine.zookeeper;

import java.util.concurrent.TimeoutException;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

class FailuresTests {

	/** It cannot read a transaction that has one. */
	@ParameterizedTest
	@EnumSource(names = { "UNIMPLEMENTED", "MARSHALLINGERROR" })
	void oldServerIsReported(Code code) {
		assertThat(failure(KeeperException.create(code, "/leasehold"))).hasMessage(
				"ZooKeeper could not acquire lock 'order:42': the server does not support container nodes. Use ZooKeeper "
						+ "3.5.3 or later")
			.satisfies((ex) -> assertThat(ex.isRetryable()).isFalse());
	}

	@Test
	void missingPermissionIsReported() {
		assertThat(failure(KeeperException.create(Code.NOAUTH, "/leasehold/shop"))).hasMessage(
				"ZooKeeper could not acquire lock 'order:42': NOAUTH at '/leasehold/shop'. Allow the client to read, write, "
						+ "create and delete nodes there")
			.satisfies((ex) -> assertThat(ex.isRetryable()).isFalse());
	}

	@Test
	void connectionThatBrokeMayComeBack() {
		assertThat(failure(KeeperException.create(Code.CONNECTIONLOSS, "/leasehold")).isRetryable()).isTrue();
	}

	@Test
	void failureOfTheClientIsReportedAsItIs() {
		KeeperException failure = KeeperException.create(Code.SYSTEMERROR);
		failure.initCause(new IllegalStateException("Expected state [STARTED] was [STOPPED]"));
		assertThat(failure(failure)).hasMessageEndingWith("Expected state [STARTED] was [STOPPED]");
	}

	@Test
	void timeoutIsReportedWithItsReason() {
		assertThat(failure(new TimeoutException("no connection")))
			.hasMessage("ZooKeeper could not acquire lock 'order:42': no connection")
			.satisfies((ex) -> assertThat(ex.isRetryable()).isTrue());
	}

	@Test
	void missingNodeIsReportedWithItsPath() {
		assertThat(failure(KeeperException.create(Code.NONODE, "/shop"))).hasMessageEndingWith(
				"there is no node '/shop'. If the connect string names it after the servers, create it");
	}

	@Test
	void codeOfAnyOtherFailureIsReported() {
		assertThat(failure(KeeperException.create(Code.QUOTAEXCEEDED, "/shop"))).hasMessageEndingWith(": QUOTAEXCEEDED")
			.satisfies((ex) -> assertThat(ex.isRetryable()).isFalse());
	}

	private static LockEngineException failure(Exception cause) {
		return Failures.of("acquire", new LockKey("order:42"), cause);
	}

}
