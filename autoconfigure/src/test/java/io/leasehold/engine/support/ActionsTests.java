package io.leasehold.engine.support;

import java.time.Duration;
import java.util.List;

import io.leasehold.LockKey;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Member;
import io.leasehold.engine.Renewal;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ActionsTests {

	@Test
	void renewalOfOneLockNamesIt() {
		assertThat(Actions.renew(List.of(renewal("a")))).isEqualTo("renew lock 'a'");
		assertThat(Actions.renew(List.of(renewal("a"), renewal("b")))).isEqualTo("renew 2 locks");
	}

	private static Renewal renewal(String key) {
		Duration lease = Duration.ofSeconds(1);
		return new Renewal(new Claim(new LockKey(key), Member.of("test").newOwner(), lease, Duration.ZERO, false, 0), 1,
				lease);
	}

}
