package io.leasehold.engine.redis;

import io.leasehold.LockKey;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ContendedKeysTests {

	private final ContendedKeys contended = new ContendedKeys();

	@Test
	void keyIsContendedFromItsAdditionToItsRemoval() {
		RedisKeys key = RedisKeys.of("ns", new LockKey("a"));
		assertThat(this.contended.contains(key)).isFalse();
		this.contended.add(key);
		assertThat(this.contended.contains(RedisKeys.of("ns", new LockKey("a")))).isTrue();
		assertThat(this.contended.contains(RedisKeys.of("ns", new LockKey("b")))).isFalse();
		this.contended.remove(key);
		assertThat(this.contended.contains(key)).isFalse();
	}

	@Test
	void everyKeyHasAnEntry() {
		for (int i = 0; i < 10_000; i++) {
			RedisKeys key = RedisKeys.of("ns", new LockKey("key" + i));
			this.contended.add(key);
			assertThat(this.contended.contains(key)).isTrue();
		}
	}

}
