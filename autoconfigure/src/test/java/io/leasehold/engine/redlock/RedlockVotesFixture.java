package io.leasehold.engine.redlock;

import java.util.List;
import java.util.stream.IntStream;

import io.leasehold.engine.Claim;
import io.leasehold.engine.redis.connection.Script;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * Three masters whose votes the test decides.
 */
abstract class RedlockVotesFixture {

	final ScriptedMasters masters = new ScriptedMasters(3);

	RedlockLockEngine engine = this.masters.engine();

	final Claim claim = this.masters.claim("k");

	@BeforeEach
	void connect() {
		this.engine.checkMasters();
	}

	@AfterEach
	void close() {
		this.engine.close();
	}

	/** How often each master was sent a script for the key of this test. */
	List<Integer> sent(Script<?> script) {
		return IntStream.range(0, 3)
			.mapToObj((i) -> (int) this.masters.get(i)
				.requests(script)
				.stream()
				.filter((request) -> request.keys().get(0).endsWith(":k"))
				.count())
			.toList();
	}

}
