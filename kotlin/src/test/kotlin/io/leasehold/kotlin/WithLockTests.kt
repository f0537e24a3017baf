package io.leasehold.kotlin

import java.io.IOException
import java.time.Duration
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CountDownLatch
import java.util.concurrent.Executor
import java.util.concurrent.LinkedBlockingQueue
import java.util.concurrent.TimeUnit

import io.leasehold.HeldLock
import io.leasehold.LockBusyException
import io.leasehold.annotation.DistributedLock
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeoutOrNull
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import org.springframework.stereotype.Component
import kotlin.concurrent.thread

/**
 * Tests for blocks under a lock.
 */
class WithLockTests {

	private val application = LockedApplication(Orders::class)

	private val orders: Orders = application.bean()

	private val locks = application.locks

	private val begun = CompletableDeferred<Unit>()

	private val ending = CompletableDeferred<Unit>()

	private val gate = CompletableDeferred<Unit>()

	@AfterEach
	fun close() = application.close()

	@Test
	fun blockRunsUnderItsLock() = runBlocking<Unit> {
		val token = locks.withLock("order:1") { lock ->
			yield()
			assertThat(HeldLock.current().key()).isEqualTo("order:1")
			assertThat(application.isFree("order:1")).isFalse()
			lock.fencingToken()
		}
		assertThat(token).isPositive()
		assertThat(application.isFree("order:1")).isTrue()
	}

	@Test
	fun annotatedFunctionsAndBlockingCallsReenterTheLock() = runBlocking<Unit> {
		val results = locks.withLock("order:1") {
			listOf(orders.pay(1), locks.call<String, RuntimeException>("order:1") { "blocking" })
		}
		assertThat(results).containsExactly("order:1", "blocking")
	}

	@Test
	fun failureIsThrownAndTheLockReleased() = runBlocking<Unit> {
		assertThrows<IOException> { locks.withLock("order:1") { throw IOException("disk") } }
		assertThat(application.isFree("order:1")).isTrue()
	}

	/** Then `withContext` also passes the context of its caller to the element of the block. */
	@Test
	fun failureIsThrownToACallerWithoutDispatcher() {
		val caller = CompletableFuture.supplyAsync {
			runBlocking(DirectInterceptor()) {
				runCatching {
					locks.withLock("order:1") {
						withContext(NonCancellable) { yield() }
						throw IOException("disk")
					}
				}
			}
		}
		assertThat(caller.get(1, TimeUnit.MINUTES).exceptionOrNull()).isInstanceOf(IOException::class.java)
	}

	@Test
	fun busyLockIsReported() = runBlocking<Unit> {
		val noWait = locks.defaults().toBuilder().waitTime(Duration.ZERO).build()
		locks.withLock("order:1") {
			assertThrows<LockBusyException> { locks.withLock("order:1", noWait) { } }
		}
	}

	@Test
	fun cancelledBlockKeepsItsLockUntilItHasEnded() = assertHeldUntilTheEndOf { endSlowly() }

	/** Spring calls it by a publisher, which is cancelled at once. */
	@Test
	fun cancelledBlockKeepsItsLockUntilAFunctionOfAProxiedBeanHasEnded() = assertHeldUntilTheEndOf {
		orders.ship(::endSlowly)
	}

	/** The coroutine that ends last continues the caller in its thread. */
	@Test
	fun unconfinedBlockThatFailsReleasesItsLock() = runBlocking<Unit> {
		val tasks = LinkedBlockingQueue<Runnable>()
		val last = CompletableDeferred<Job>()
		val caller = launch(Dispatchers.Unconfined) {
			assertThrows<IOException> {
				locks.withLock("order:1") {
					coroutineScope {
						last.complete(launch(Executor(tasks::add).asCoroutineDispatcher()) { })
						throw IOException("disk")
					}
				}
			}
		}
		val cancelled = last.await()
		withContext(Dispatchers.IO) { await().until { cancelled.isCancelled } }
		thread(isDaemon = true) { tasks.take().run() }
		withContext(Dispatchers.IO) { await().atMost(Duration.ofMinutes(1)).until { caller.isCompleted } }
		application.awaitFree("order:1")
	}

	@Test
	fun cancelledCallerLeavesTheQueue() = runBlocking<Unit> {
		locks.withLock("order:1") {
			val waiter = launch { locks.withLock("order:1") { } }
			yield()
			waiter.cancelAndJoin()
		}
		application.awaitFree("order:1")
	}

	/** They may all wait for this lock, by blocking calls. */
	@Test
	fun lockIsReleasedWhileAllThreadsForBlockingCodeWait() = runBlocking<Unit> {
		val threads = maxOf(64, Runtime.getRuntime().availableProcessors())
		val waiting = CountDownLatch(threads)
		val gate = CountDownLatch(1)
		repeat(threads) {
			launch(Dispatchers.IO) {
				waiting.countDown()
				gate.await()
			}
		}
		waiting.await()
		val caller = launch(Dispatchers.Default) { locks.withLock("order:1") { } }
		try {
			await().atMost(Duration.ofMinutes(1)).until { caller.isCompleted }
		}
		finally {
			gate.countDown()
		}
	}

	private fun assertHeldUntilTheEndOf(work: suspend () -> Unit) = runBlocking<Unit> {
		val caller = launch { locks.withLock("order:1") { work() } }
		begun.await()
		caller.cancel()
		ending.await()
		assertThat(withTimeoutOrNull(500) { caller.join() }).isNull()
		assertThat(application.isFree("order:1")).isFalse()
		gate.complete(Unit)
		caller.join()
		assertThat(application.isFree("order:1")).isTrue()
	}

	/** Ends when the test opens the gate, although it is cancelled. */
	private suspend fun endSlowly() {
		try {
			begun.complete(Unit)
			awaitCancellation()
		}
		finally {
			withContext(NonCancellable) {
				ending.complete(Unit)
				gate.await()
			}
		}
	}

	@Component
	class Orders {

		@DistributedLock(key = "'order:' + #id")
		suspend fun pay(id: Long): String = HeldLock.current().key().also { yield() }

		suspend fun ship(work: suspend () -> Unit) = work()

	}

}
