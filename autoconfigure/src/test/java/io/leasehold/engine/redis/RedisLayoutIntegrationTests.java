package io.leasehold.engine.redis;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.leasehold.LockKey;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.redis.RedisEngines.TestMember;
import io.leasehold.engine.redis.connection.Script;
import io.leasehold.server.RedisTestServer;
import io.lettuce.core.ScriptOutputType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Processes with layout 1 of the keys, which run their own scripts, and the present
 * engine on the same server. Neither layout excludes the other. Therefore an upgrade
 * stops all processes with the other layout first.
 */
class RedisLayoutIntegrationTests {

	private static final Script<List<Object>> FORMER_ACQUIRE = former("free.lua");

	private static final Script<Long> FORMER_RELEASE = former("sole.lua");

	private static final String A = "a@h:1:0/main/1";

	private static final String B = "b@h:2:0/main/2";

	private static final LockKey KEY = new LockKey("order:42");

	private final RedisEngines engines = RedisEngines.patient(RedisTestServer.shared().port());

	private final TestMember member = this.engines.member();

	private final TestMember other = this.engines.member();

	private final String formerLock = this.engines.namespace() + ":{order:42}";

	private final String presentLock = this.engines.namespace() + ":2:{order:42}";

	@AfterEach
	void close() {
		this.engines.close();
	}

	@Test
	void lockOfTheFormerLayoutExcludesItsOwnLayoutOnly() {
		long former = formerAcquires(A);
		assertThat(former).isPositive();
		Map<String, String> data = data(this.formerLock);
		assertThat(data).containsOnlyKeys(this.formerLock, this.formerLock + ":fence");
		assertThat(data.get(this.formerLock)).startsWith(former + ":" + A + " until ");
		assertThat(this.member.engine().inspect(KEY)).isEmpty();
		assertThat(this.member.engine().forceRelease(KEY)).isEmpty();
		Claim claim = this.member.claim(KEY.value());
		long number = this.member.granted(claim);
		assertThat(formerAcquires(B)).isZero();
		assertThat(this.member.renew(claim, number)).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(this.member.engine().release(claim)).isInstanceOf(ReleaseOutcome.Released.class);
		assertThat(data(this.formerLock)).isEqualTo(data);
		assertThat(formerReleases(A)).isTrue();
		assertThat(data(this.formerLock)).containsOnlyKeys(this.formerLock + ":fence");
		assertThat(formerAcquires(B)).isGreaterThan(former);
	}

	@Test
	void lockOfThePresentLayoutExcludesItsOwnLayoutOnly() {
		Claim claim = this.member.claim(KEY.value());
		long number = this.member.granted(claim);
		Map<String, String> data = data(this.presentLock);
		assertThat(data).containsOnlyKeys(this.presentLock, this.presentLock + ":fence");
		assertThat(data.get(this.presentLock)).startsWith(number + ":" + claim.owner().token() + " until ");
		assertThat(formerAcquires(A)).isPositive();
		assertThat(this.other.engine().tryAcquire(this.other.claim(KEY.value())))
			.isInstanceOf(AcquisitionOutcome.Busy.class);
		assertThat(formerReleases(claim.owner().token())).isFalse();
		assertThat(formerReleases(A)).isTrue();
		assertThat(data(this.presentLock)).isEqualTo(data);
		assertThat(this.member.renew(claim, number)).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(this.member.engine().release(claim)).isInstanceOf(ReleaseOutcome.Released.class);
		assertThat(data(this.presentLock)).containsOnlyKeys(this.presentLock + ":fence");
		assertThat(this.other.granted(this.other.claim(KEY.value()))).isGreaterThan(number);
	}

	/** Return the grant number, or 0 if the lock is not free. */
	private long formerAcquires(String claim) {
		List<Object> response = this.engines.server()
			.eval(FORMER_ACQUIRE.text(), ScriptOutputType.MULTI, formerKeys(claim), claim, "60000",
					RedisKeys.inboxPrefix(this.engines.namespace()), "3000", "60000");
		return response.contains("granted") ? Long.parseLong(response.get(1).toString()) : 0;
	}

	private boolean formerReleases(String claim) {
		Long released = this.engines.server()
			.eval(FORMER_RELEASE.text(), ScriptOutputType.INTEGER, formerKeys(claim), claim, "60000",
					RedisKeys.inboxPrefix(this.engines.namespace()), "3000", "0");
		return released != null;
	}

	private String[] formerKeys(String claim) {
		return List.of("", ":fence", ":queue", ":gone:" + claim, ":holders", ":fences")
			.stream()
			.map((suffix) -> this.formerLock + suffix)
			.toArray(String[]::new);
	}

	/** Return the value and the end of each key of a lock. */
	private Map<String, String> data(String lock) {
		Map<String, String> data = new TreeMap<>();
		for (String name : this.engines.server().keys(lock + "*")) {
			data.put(name, this.engines.server().get(name) + " until " + this.engines.server().pexpiretime(name));
		}
		return data;
	}

	private static <T> Script<T> former(String shortcut) {
		return Script.load(RedisLayoutIntegrationTests.class, "layout1/lock.lua", "layout1/" + shortcut);
	}

}
