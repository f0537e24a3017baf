package io.leasehold.engine.etcd;

import io.leasehold.LockKey;
import io.leasehold.engine.Access;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class EtcdKeysTests {

	private final EtcdKeys keys = new EtcdKeys("shop/eu");

	@Test
	void keysBeginWithTheNamespace() {
		assertThat(this.keys.claims(new LockKey("order:42"))).isEqualTo("shop%2Feu/locks/order:42/");
		assertThat(this.keys.session(0x2a)).isEqualTo("shop%2Feu/sessions/2a");
	}

	/** The range of one lock has no claim of another. */
	@Test
	void prefixesOfLocksDoNotOverlap() {
		String prefix = this.keys.claims(new LockKey("a"));
		String other = this.keys.claims(new LockKey("a/b"));
		assertThat(other).isEqualTo("shop%2Feu/locks/a%2Fb/");
		assertThat(KeyValue.rangeEnd(prefix)).isEqualTo("shop%2Feu/locks/a0");
		assertThat(other.compareTo(prefix) < 0 || other.compareTo(KeyValue.rangeEnd(prefix)) >= 0).isTrue();
	}

	@Test
	void differentTextsStayDifferent() {
		assertThat(EtcdKeys.escape("%2F")).isEqualTo("%252F");
		assertThat(EtcdKeys.escape("a\u0000\n")).isEqualTo("a%00%0A");
		assertThat(EtcdKeys.escape("\u00e9\ud83c\udf63")).isEqualTo("\u00e9\ud83c\udf63");
		assertThat(EtcdKeys.escape("\ud83c")).isEqualTo("%uD83C");
	}

	@Test
	void nameShowsTheAccess() {
		String key = EtcdKeys.claim(this.keys.claims(new LockKey("a:b")), "1f-0", Access.permits(3));
		assertThat(key).endsWith("/a:b/1f-0:3");
		assertThat(EtcdKeys.access(key)).isEqualTo(Access.permits(3));
		assertThat(EtcdKeys.access("not/ours")).isEqualTo(Access.EXCLUSIVE);
	}

}
