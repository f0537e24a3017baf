package io.leasehold.engine.hazelcast;

import java.time.Duration;
import java.util.Objects;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import io.leasehold.engine.cas.BoundedStore;
import io.leasehold.engine.cas.CompareAndSetStore;
import io.leasehold.engine.cas.CompareAndSetStore.Entry;
import io.leasehold.server.HazelcastTestCluster;
import io.leasehold.test.contract.CompareAndSetStoreContract;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * The contract of stores, kept by {@link HazelcastStore}.
 */
class HazelcastStoreIntegrationTests extends CompareAndSetStoreContract {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private final HazelcastInstance member = HazelcastTestCluster.shared();

	@Override
	protected CompareAndSetStore connect() {
		return new BoundedStore("hazelcast", HazelcastStore.open(this.member, "store", Duration.ofMinutes(10)),
				Duration.ofSeconds(5));
	}

	/**
	 * Hazelcast resets the time to live with each replacement, so an entry lives as long
	 * as its last write says, even if another process wrote the value.
	 */
	@Test
	void valueWithoutItsLifeCountsAsAbsent() throws Exception {
		IMap<String, String> map = this.member.getMap("lives");
		HazelcastStore store = HazelcastStore.open(this.member, "lives", Duration.ofMinutes(10));
		store.create("key", "first", LEASE);
		Entry read = Objects.requireNonNull(store.read("key"));
		map.keySet().stream().filter((key) -> key.contains("!")).forEach(map::delete);
		assertThat(map.get("key")).endsWith("first");
		assertThat(store.read("key")).isNull();
		assertThat(store.create("key", "second", LEASE)).isTrue();
		assertThat(store.replace("key", read, "third", LEASE)).isFalse();
		assertThat(Objects.requireNonNull(store.read("key")).value()).isEqualTo("second");
	}

	@Test
	void livesOfFormerValuesAreRemoved() throws Exception {
		IMap<String, String> map = this.member.getMap("former-lives");
		HazelcastStore store = HazelcastStore.open(this.member, "former-lives", Duration.ofMinutes(10));
		store.create("key", "0", LEASE);
		for (int i = 1; i <= 20; i++) {
			Entry read = Objects.requireNonNull(store.read("key"));
			assertThat(store.replace("key", read, Integer.toString(i), LEASE)).isTrue();
			assertThat(store.replace("key", read, "late", LEASE)).isFalse();
			assertThat(store.create("key", "another", LEASE)).isFalse();
		}
		Awaitility.await().until(() -> map.size() == 2);
	}

	@Test
	void valueOfAnotherApplicationIsReadAsItIs() throws Exception {
		this.member.<String, String>getMap("foreign").put("key", "foreign");
		HazelcastStore store = HazelcastStore.open(this.member, "foreign", Duration.ofMinutes(10));
		assertThat(Objects.requireNonNull(store.read("key")).value()).isEqualTo("foreign");
		assertThat(store.create("key", "value", LEASE)).isFalse();
	}

	@Test
	void timeToLiveThatExceedsThatOfTheMapIsRejected() {
		HazelcastStore store = HazelcastStore.open(this.member, "short", LEASE);
		assertThatIllegalArgumentException().isThrownBy(() -> store.create("key", "value", LEASE.plusSeconds(2)))
			.withMessageContaining("leasehold.fencing.retention");
	}

}
