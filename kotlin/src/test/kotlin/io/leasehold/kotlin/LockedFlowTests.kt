package io.leasehold.kotlin

import java.io.IOException
import java.time.Duration

import io.leasehold.HeldLock
import io.leasehold.annotation.DistributedLock
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineName
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.FlowCollector
import kotlinx.coroutines.flow.collect
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.filterNotNull
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.flowOn
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.reactor.asFlux
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import org.springframework.stereotype.Component

/**
 * Tests for functions that return a flow.
 */
class LockedFlowTests {

	private val application = LockedApplication(Orders::class)

	private val orders: Orders = application.bean()

	@AfterEach
	fun close() = application.close()

	@Test
	fun eachCollectionRunsUnderItsLockInTheContextOfItsCollector() = runBlocking<Unit>(CoroutineName("collector")) {
		val tokens = mutableListOf<Long>()
		val flow = orders.lines(1) {
			tokens += HeldLock.current().fencingToken()
			emit(currentCoroutineContext()[CoroutineName]?.name)
			emit(HeldLock.current().key())
		}
		assertThat(application.isFree("order:1")).isTrue()
		repeat(2) {
			assertThat(flow.toList()).containsExactly("collector", "order:1")
			assertThat(application.isFree("order:1")).isTrue()
		}
		assertThat(tokens).hasSize(2).isSorted().doesNotHaveDuplicates()
	}

	@Test
	fun collectorRunsUnderTheLockThoughItsThreadDoesNot() = runBlocking<Unit> {
		val emitted = mutableListOf<String>()
		orders.lines(1) {
			emit("a")
			emitted += "a"
			emit("b")
			emitted += "b"
		}.collect { value ->
			assertThat(application.isFree("order:1")).isFalse()
			assertThat(emitted).doesNotContain(value)
		}
		assertThat(emitted).containsExactly("a", "b")
	}

	@Test
	fun publisherOfTheFlowRunsUnderItsLock() {
		val keys = orders.lines(1) { emit(HeldLock.current().key()) }.filterNotNull().asFlux().collectList().block(Duration.ofSeconds(30))
		assertThat(keys).containsExactly("order:1")
	}

	@Test
	fun flowMayRunInAnotherContext() = runBlocking<Unit> {
		val keys = orders.lines(1) { emit(HeldLock.current().key()) }.flowOn(Dispatchers.IO).toList()
		assertThat(keys).containsExactly("order:1")
	}

	@Test
	fun failureOfTheFlowIsThrownAndTheLockReleased() = runBlocking<Unit> {
		val failure = assertThrows<IOException> { orders.lines(1) { emit("a"); throw IOException("disk") }.collect() }
		assertThat(failure).hasMessage("disk")
		assertThat(application.isFree("order:1")).isTrue()
	}

	@Test
	fun keyIsHeldUntilAnAbandonedFlowHasEnded() = runBlocking<Unit> {
		val gate = CompletableDeferred<Unit>()
		val first = orders.lines(1) {
			try {
				emit("a")
			}
			finally {
				withContext(NonCancellable) { gate.await() }
			}
		}.first()
		assertThat(first).isEqualTo("a")
		assertThat(application.isFree("order:1")).isFalse()
		gate.complete(Unit)
		application.awaitFree("order:1")
	}

	@Test
	fun failureOfTheCollectorEndsTheFlow() = runBlocking<Unit> {
		assertThrows<IOException> { orders.lines(1) { emit("a") }.collect { throw IOException("collector") } }
		application.awaitFree("order:1")
	}

	@Component
	class Orders {

		@DistributedLock(key = "'order:' + #id")
		fun lines(id: Long, body: suspend FlowCollector<String?>.() -> Unit): Flow<String?> = flow(body)

	}

}
