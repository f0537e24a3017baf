package io.leasehold.test;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import io.leasehold.DistributedLocks;
import io.leasehold.FencingGuard;
import io.leasehold.HeldLock;
import io.leasehold.LockBusyException;
import io.leasehold.LockEngineException;
import io.leasehold.LockOptions;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.annotation.LeaderOnly;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.jdbc.JdbcLockEngine;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.engine.redis.RedisLockEngine;
import io.leasehold.leadership.Leadership;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.jdbc.test.autoconfigure.JdbcTest;
import org.springframework.boot.r2dbc.autoconfigure.R2dbcAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.servlet.DispatcherServlet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests of an application whose locks are in Redis and, some of them, in its database;
 * its Redis is not there.
 */
class AutoConfigureLeaseholdTests {

	private static final String REDIS = "leasehold.engine=redis";

	private static final String JDBC = "leasehold.jdbc.enabled=true";

	private static final String NO_SERVER = "spring.data.redis.url=redis://localhost:1";

	private static final String NO_MIGRATION = "spring.liquibase.enabled=false";

	@Nested
	@SpringBootTest(properties = { REDIS, JDBC, NO_SERVER, NO_MIGRATION, "leasehold.redis.enabled=true",
			"leasehold.redlock.enabled=true", "leasehold.redlock.nodes=localhost:1,localhost:2,localhost:3",
			"leasehold.zookeeper.enabled=true", "leasehold.zookeeper.connect-string=localhost:1",
			"leasehold.etcd.enabled=true", "leasehold.etcd.endpoints=http://localhost:1",
			"leasehold.memcached.enabled=true", "leasehold.memcached.servers=localhost:1",
			"leasehold.hazelcast.enabled=true", "leasehold.wait-time=0s" })
	@AutoConfigureLeasehold
	@Import(Shop.class)
	class WholeApplication {

		@Autowired
		private Shop shop;

		@Autowired
		private DistributedLocks locks;

		@Autowired
		private LockRecorder recorder;

		@Autowired
		private LocalLockEngine engine;

		@Autowired
		private VirtualClock clock;

		@Test
		void isConnectedToNoStore(@Autowired ApplicationContext context) {
			assertThat(this.locks.defaults().engine()).isEqualTo("local");
			assertThat(context.getBeansOfType(RedisLockEngine.class)).isEmpty();
			assertThat(context.getBeansOfType(JdbcLockEngine.class)).isEmpty();
			assertThat(context.getBeansOfType(LockEngine.class).values()).extracting(LockEngine::name)
				.containsExactlyInAnyOrder("local", "etcd", "hazelcast", "jdbc", "memcached", "redis", "redlock",
						"zookeeper");
		}

		@Test
		void takesItsLocksInMemory() {
			this.shop.order(42, () -> assertThat(this.recorder).holds("order:42"));
			assertThat(this.recorder).released("order:42").holdsNothing();
		}

		@Test
		void takesLocksOfNamedEnginesInTheSameMemory() {
			try (HeldLock held = this.locks.acquireAsync("ledger:7").join()) {
				assertThatExceptionOfType(LockBusyException.class).isThrownBy(() -> this.shop.book(7));
				assertThat(this.recorder).holds(held.key()).foundBusy("ledger:7");
			}
			this.shop.book(7);
			assertThat(this.recorder).released("ledger:7");
		}

		@Test
		void findsALockBusyThatAnotherHas() {
			try (HeldLock other = this.locks.acquireAsync("order:42").join()) {
				assertThatExceptionOfType(LockBusyException.class).isThrownBy(() -> this.shop.order(42, () -> {
				}));
				assertThat(this.recorder).foundBusy(other.key());
			}
		}

		@Test
		void losesWhatItHoldsWhenTheClockIsMoved() throws Exception {
			HeldLock held = this.locks.acquire("order:42");
			LockOptions patient = this.locks.defaults().toBuilder().waitTime(Duration.ofSeconds(20)).build();
			CompletableFuture<HeldLock> next = this.locks.acquireAsync("order:42", patient);
			this.clock.advance(Duration.ofSeconds(31));
			next.get(30, TimeUnit.SECONDS).close();
			assertThat(held.isValid()).isFalse();
			Awaitility.await().untilAsserted(() -> assertThat(this.recorder).lost("order:42").holdsNothing());
		}

		@Test
		void keepsAnEngineDownAsLongAsTheTestWants() {
			this.engine.faults().setDown(true);
			assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> this.shop.book(7));
			this.engine.faults().setDown(false);
			this.shop.book(7);
		}

		@Test
		void beginsEachTestAnew() {
			leavesARecordAndFaults();
		}

		@Test
		void beginsAnewWhateverATestLeft() {
			leavesARecordAndFaults();
		}

		private void leavesARecordAndFaults() {
			this.locks.acquire("order:42").close();
			assertThat(this.recorder.acquired()).containsExactly("order:42");
			this.engine.faults().setDown(true);
			this.engine.faults().setLoseReplies(true);
			assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> this.locks.tryAcquire("order:43"));
		}

	}

	@Nested
	@JdbcTest(properties = { REDIS, JDBC, NO_SERVER, NO_MIGRATION })
	class SliceWithoutLocks {

		@Test
		void startsWithoutAStore(@Autowired ApplicationContext context) {
			assertThat(context.getBeansOfType(JdbcTemplate.class)).isNotEmpty();
			assertThat(context.getBeansOfType(DistributedLocks.class)).isEmpty();
			assertThat(context.getBeansOfType(LockEngine.class)).isEmpty();
		}

	}

	@Nested
	@JdbcTest(properties = { REDIS, JDBC, NO_SERVER, NO_MIGRATION })
	@AutoConfigureLeasehold
	@Import(Shop.class)
	class SliceWithLocks {

		@Test
		void takesItsLocksInMemory(@Autowired Shop shop, @Autowired LockRecorder recorder) {
			shop.order(42, () -> assertThat(recorder).holds("order:42"));
			// Released after the transaction of the test
			assertThat(recorder).holds("order:42");
		}

		@Test
		void hasFencing(@Autowired FencingGuard fencing) {
			assertThat(fencing).isNotNull();
		}

	}

	@Nested
	@WebMvcTest(properties = { REDIS, JDBC, NO_SERVER })
	class WebSliceWithoutLocks {

		@Test
		void startsWithoutAStore(@Autowired ApplicationContext context) {
			assertThat(context.getBeansOfType(DispatcherServlet.class)).isNotEmpty();
			assertThat(context.getBeansOfType(DistributedLocks.class)).isEmpty();
			assertThat(context.getBeansOfType(LockEngine.class)).isEmpty();
		}

	}

	@Nested
	@WebMvcTest(properties = { REDIS, JDBC, NO_SERVER, "leasehold.enabled=false", "leasehold.leadership.roles=clerk",
			"leasehold.leadership.engine=memcached" })
	@AutoConfigureLeasehold
	@Import({ Shop.class, Clerk.class })
	class WebSliceWithLocks {

		@Test
		void takesItsLocksInMemory(@Autowired Shop shop, @Autowired LockRecorder recorder) {
			shop.order(42, () -> assertThat(recorder).holds("order:42"));
			assertThat(recorder).released("order:42");
		}

		@Test
		void leadsInMemory(@Autowired Clerk clerk, @Autowired Leadership leadership) {
			Awaitility.await().until(leadership::isLeader);
			assertThat(clerk.work()).isEqualTo("done");
		}

	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration(exclude = R2dbcAutoConfiguration.class)
	static class Application {

	}

	static class Clerk {

		@LeaderOnly("clerk")
		public String work() {
			return "done";
		}

	}

	static class Shop {

		@DistributedLock(key = "'order:' + #id")
		public void order(long id, Runnable work) {
			work.run();
		}

		@DistributedLock(key = "'ledger:' + #account", engine = "jdbc")
		@Transactional
		public void book(long account) {
		}

	}

}
