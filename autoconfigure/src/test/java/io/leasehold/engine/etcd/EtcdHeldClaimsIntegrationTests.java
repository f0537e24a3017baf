package io.leasehold.engine.etcd;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.leasehold.LockKey;
import io.leasehold.engine.Access;
import io.leasehold.engine.HeldKeys.HeldKey;
import io.leasehold.engine.HeldKeys.Page;
import io.leasehold.server.EtcdTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static io.leasehold.engine.etcd.EtcdEngines.granted;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link HeldClaims} of locks with more claims than one response has.
 */
class EtcdHeldClaimsIntegrationTests {

	private final EtcdEngines engines = new EtcdEngines();

	@AfterEach
	void close() throws Exception {
		this.engines.close();
	}

	/** It belongs to no lock. */
	@Test
	void keyOfAnotherApplicationAmongTheLocksIsNoHolder() {
		EtcdLockEngine engine = this.engines.engine(EtcdTestServer.shared().url());
		EtcdOperator operator = new EtcdOperator(EtcdTestServer.shared().url());
		String root = this.engines.keys.claims();
		for (String name : List.of("a", "b", "%", "c/", "d/of", "e/of:x/other")) {
			operator.write(root + name, "\n");
		}
		granted(engine, this.engines.claim(new LockKey("b")));
		Page page = engine.heldKeys().list("", null, 500);
		assertThat(page.next()).isNull();
		assertThat(page.keys()).extracting((held) -> held.key().value()).containsExactly("b", "c", "d", "e");
		assertThat(page.keys())
			.allSatisfy((held) -> assertThat(held.holders()).isEqualTo(engine.inspect(held.key())).hasSize(1));
		assertThat(engine.keptKeys().find(new LockKey("a"))).isNull();
		assertThat(engine.keptKeys().find(new LockKey("d"))).isNull();
	}

	@Test
	void listGoesOnAfterAResponseOfOtherApplicationsKeys() {
		EtcdLockEngine engine = this.engines.engine(EtcdTestServer.shared().url());
		EtcdOperator operator = new EtcdOperator(EtcdTestServer.shared().url());
		for (int i = 0; i < 1000; i++) {
			operator.write("%s%04d".formatted(this.engines.keys.claims(), i), "");
		}
		granted(engine, this.engines.claim(new LockKey("b")));
		Page first = engine.heldKeys().list("", null, 500);
		assertThat(first.next()).isNotNull();
		assertThat(engine.heldKeys().list("", first.next(), 500).keys()).extracting(HeldKey::key)
			.containsExactly(new LockKey("b"));
		assertThat(engine.heldKeys().list("0", null, 500)).isEqualTo(new Page(List.of(), "0999"));
		assertThat(engine.heldKeys().list("000", null, 500)).isEqualTo(new Page(List.of(), null));
	}

	@Test
	void lockAtTheEndOfAResponseHasAllItsHolders() {
		EtcdLockEngine engine = this.engines.engine(EtcdTestServer.shared().url());
		List<LockKey> keys = Stream.of("a", "b", "c").map(LockKey::new).toList();
		for (LockKey key : keys) {
			for (int i = 0; i < 400; i++) {
				granted(engine, this.engines.claim(key, Access.SHARED, Duration.ofMinutes(5)));
			}
		}
		Page first = engine.heldKeys().list("", null, 500);
		assertThat(first.keys()).extracting(HeldKey::key).containsExactlyElementsOf(keys);
		assertThat(first.keys())
			.allSatisfy((held) -> assertThat(held.holders()).isEqualTo(engine.inspect(held.key())).hasSize(400));
		assertThat(first.next()).isNotNull();
		assertThat(engine.heldKeys().list("", first.next(), 500)).isEqualTo(new Page(List.of(), null));
	}

}
