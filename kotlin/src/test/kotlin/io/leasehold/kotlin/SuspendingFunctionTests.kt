package io.leasehold.kotlin

import java.io.IOException

import io.leasehold.HeldLock
import io.leasehold.LockBusyException
import io.leasehold.annotation.DistributedLock
import io.leasehold.reactive.ReactiveLocks
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineName
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.reactor.awaitSingle
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.TestInstance
import org.junit.jupiter.api.assertThrows
import org.springframework.stereotype.Component

/**
 * Tests for suspending functions under their locks.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SuspendingFunctionTests {

	private val application = LockedApplication(Orders::class)

	private val orders: Orders = application.bean()

	@AfterAll
	fun close() = application.close()

	@Test
	fun bodyRunsUnderItsLockInTheContextOfItsCaller() = runBlocking<Unit>(CoroutineName("caller")) {
		val held = orders.run(1) {
			assertThat(application.isFree("order:1")).isFalse()
			assertThat(currentCoroutineContext()[CoroutineName]).isEqualTo(CoroutineName("caller"))
			ReactiveLocks.current().awaitSingle()
		}
		assertThat(held.key()).isEqualTo("order:1")
		assertThat(held.isValid).isFalse()
		assertThat(application.isFree("order:1")).isTrue()
	}

	@Test
	fun threadsOfTheBodyAreUnderTheLock() = runBlocking<Unit> {
		orders.run(2) {
			assertThat(HeldLock.current().key()).isEqualTo("order:2")
			yield()
			assertThat(HeldLock.current().key()).isEqualTo("order:2")
			withContext(Dispatchers.IO) { assertThat(HeldLock.current().key()).isEqualTo("order:2") }
			coroutineScope { launch(Dispatchers.Default) { assertThat(HeldLock.current().key()).isEqualTo("order:2") }.join() }
		}
		assertThrows<IllegalStateException> { HeldLock.current() }
	}

	@Test
	fun otherCoroutinesOfTheThreadAreNotUnderTheLock() = runBlocking<Unit> {
		val inside = CompletableDeferred<Unit>()
		val seen = CompletableDeferred<Unit>()
		launch {
			orders.run(3) {
				inside.complete(Unit)
				seen.await()
			}
		}
		inside.await()
		assertThrows<IllegalStateException> { HeldLock.current() }
		seen.complete(Unit)
	}

	@Test
	fun callsInsideReenterTheLock() = runBlocking<Unit> {
		orders.run(4) {
			assertThat(orders.run(4) { "suspending" }).isEqualTo("suspending")
			assertThat(orders.runBlocking(4) { "blocking" }).isEqualTo("blocking")
			application.locks.call<String, RuntimeException>("order:4") { "call" }
		}
		assertThat(application.isFree("order:4")).isTrue()
	}

	@Test
	fun blockingMethodIsReenteredInside() {
		val result = orders.runBlocking(5) { runBlocking { orders.run(5) { "both" } } }
		assertThat(result).isEqualTo("both")
	}

	@Test
	fun waitingBlocksNoThread() = runBlocking<Unit> {
		val order = mutableListOf<Int>()
		val first = CompletableDeferred<Unit>()
		val caller = launch { orders.run(6) { first.await(); order += 1 } }
		yield()
		val second = async { orders.run(6) { order += 2 } }
		repeat(10) { yield() }
		first.complete(Unit)
		second.await()
		caller.join()
		assertThat(order).containsExactly(1, 2)
	}

	@Test
	fun failureIsThrownAndTheLockReleased() = runBlocking<Unit> {
		val failure = assertThrows<IOException> { orders.run(7) { yield(); throw IOException("disk") } }
		assertThat(failure).hasMessage("disk")
		assertThat(application.isFree("order:7")).isTrue()
	}

	@Test
	fun busyLockIsReported() = runBlocking<Unit> {
		application.locks.acquire("order:8").use {
			assertThrows<LockBusyException> { orders.tryRun(8) }
		}
		assertThat(orders.tryRun(8)).isNull()
	}

	@Test
	fun severalKeysAreHeld() = runBlocking<Unit> {
		assertThat(orders.runAll(listOf(9, 10)) { !application.isFree("order:9") && !application.isFree("order:10") }).isTrue()
		assertThat(application.isFree("order:10")).isTrue()
	}

	@Component
	class Orders {

		@DistributedLock(key = "'order:' + #id")
		suspend fun <T> run(id: Long, body: suspend () -> T): T = body()

		@DistributedLock(key = "'order:' + #id", waitTime = "0s")
		suspend fun tryRun(id: Long): String? = yield().let { null }

		@DistributedLock(key = "#ids.!['order:' + #this]")
		suspend fun <T> runAll(ids: List<Int>, body: suspend () -> T): T = body()

		@DistributedLock(key = "'order:' + #id")
		fun runBlocking(id: Long, body: () -> String): String = body()

	}

}
