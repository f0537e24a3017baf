package io.leasehold.kotlin

import java.io.IOException
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CountDownLatch
import java.util.concurrent.Executor
import java.util.concurrent.LinkedBlockingQueue
import java.util.concurrent.TimeUnit

import io.leasehold.HeldLock
import io.leasehold.annotation.DistributedLock
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.TimeoutCancellationException
import kotlinx.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import kotlinx.coroutines.withTimeoutOrNull
import kotlinx.coroutines.yield
import org.aopalliance.intercept.MethodInterceptor
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import org.springframework.aop.support.DefaultPointcutAdvisor
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut
import org.springframework.beans.factory.config.BeanDefinition
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Role
import org.springframework.stereotype.Component
import reactor.core.publisher.Mono
import reactor.core.scheduler.Schedulers

/**
 * Tests for cancelled suspending functions: the key is free when the body has ended, not
 * before, and not a lease later.
 */
class CancelledFunctionTests {

	private val application = LockedApplication(Orders::class, Stock::class)

	private val orders: Orders = application.bean()

	private val stock: Stock = application.bean()

	private val begun = CompletableDeferred<Unit>()

	private val ending = CompletableDeferred<Unit>()

	private val gate = CompletableDeferred<Unit>()

	@AfterEach
	fun close() = application.close()

	/** Ends when the test opens the gate, whatever is cancelled. */
	private suspend fun slowlyEnding() {
		try {
			begun.complete(Unit)
			awaitCancellation()
		}
		finally {
			withContext(NonCancellable) {
				ending.complete(Unit)
				gate.await()
				assertThat(HeldLock.current().isValid).isTrue()
			}
		}
	}

	private suspend fun assertHeldUntilTheGateOpens(key: String) {
		ending.await()
		assertThat(application.isFree(key)).isFalse()
		gate.complete(Unit)
		application.awaitFree(key)
	}

	@Test
	fun keyIsHeldUntilTheFinallyBlockHasEnded() = runBlocking<Unit> {
		val caller = launch { orders.run(1) { slowlyEnding() } }
		begun.await()
		caller.cancelAndJoin()
		assertHeldUntilTheGateOpens("order:1")
	}

	@Test
	fun keyIsHeldUntilTheBodyOfAnExpiredTimeoutHasEnded() = runBlocking<Unit> {
		var timeout = 1L
		while (!begun.isCompleted) {
			timeout *= 2 // until the body begins in time
			assertThrows<TimeoutCancellationException> { withTimeout(timeout) { orders.run(1) { slowlyEnding() } } }
		}
		assertHeldUntilTheGateOpens("order:1")
	}

	@Test
	fun keyIsHeldUntilBlockingCodeHasEnded() = runBlocking<Unit> {
		val blocked = CountDownLatch(1)
		val caller = launch(Dispatchers.Default) {
			orders.run(1) {
				withContext(Dispatchers.IO) {
					begun.complete(Unit)
					blocked.await()
				}
			}
		}
		begun.await()
		caller.cancelAndJoin()
		assertThat(application.isFree("order:1")).isFalse()
		blocked.countDown()
		application.awaitFree("order:1")
	}

	@Test
	fun keyIsHeldUntilCoroutinesOfTheBodyHaveEnded() = runBlocking<Unit> {
		val caller = launch {
			orders.run(1) { CoroutineScope(currentCoroutineContext()).launch(Dispatchers.Default) { slowlyEnding() }.join() }
		}
		begun.await()
		caller.cancelAndJoin()
		assertHeldUntilTheGateOpens("order:1")
	}

	@Test
	fun keyIsHeldUntilAFunctionThatAnotherBeanRunsHasEnded() = runBlocking<Unit> {
		val caller = launch { orders.run(1) { stock.run(2) { slowlyEnding() } } }
		begun.await()
		caller.cancelAndJoin()
		ending.await()
		assertThat(application.isFree("stock:2")).isFalse()
		assertHeldUntilTheGateOpens("order:1")
		application.awaitFree("stock:2")
	}

	@Test
	fun keyIsHeldUntilAFunctionThatAFailureOfTheBodyCancelsHasEnded() = runBlocking<Unit> {
		val caller = launch {
			assertThrows<IOException> {
				orders.run(1) {
					coroutineScope {
						launch { stock.run(2) { slowlyEnding() } }
						begun.await()
						throw IOException("disk")
					}
				}
			}
		}
		ending.await()
		withTimeoutOrNull(500) { caller.join() }
		assertHeldUntilTheGateOpens("order:1")
	}

	/** Then `withContext` passes its job, which never ends, to the element of the body. */
	@Test
	fun failureOfABodyWithoutDispatcherIsThrown() {
		val caller = CompletableFuture.supplyAsync {
			runBlocking(DirectInterceptor()) {
				runCatching {
					orders.run(1) {
						withContext(NonCancellable) { yield() }
						throw IOException("disk")
					}
				}
			}
		}
		assertThat(caller.get(1, TimeUnit.MINUTES).exceptionOrNull()).isInstanceOf(IOException::class.java)
	}

	@Test
	fun keyIsHeldUntilAnUnconfinedBodyHasEnded() = runBlocking<Unit> {
		val caller = launch(Dispatchers.Unconfined) { orders.run(1) { slowlyEnding() } }
		begun.await()
		caller.cancelAndJoin()
		assertHeldUntilTheGateOpens("order:1")
	}

	@Test
	fun bodyThatWasNotStartedNeverRuns() = runBlocking<Unit> {
		val tasks = LinkedBlockingQueue<Runnable>()
		val dispatcher = Executor(tasks::add).asCoroutineDispatcher()
		val caller = launch(dispatcher) { orders.run(1) { begun.complete(Unit) } }
		withContext(Dispatchers.IO) { tasks.take().run() } // the call
		val start = withContext(Dispatchers.IO) { tasks.take() }
		caller.cancel()
		application.awaitFree("order:1")
		start.run()
		tasks.forEach(Runnable::run)
		caller.join()
		assertThat(begun.isCompleted).isFalse()
		application.awaitFree("order:1")
	}

	/** Advice inside the lock's, such as a time limit, may delay a cancellation. */
	@Test
	fun bodyThatWasNotStartedNeverRunsIfItsCancellationIsLate() = runBlocking<Unit> {
		LockedApplication(Orders::class, LateCancellation::class).use { late ->
			val tasks = LinkedBlockingQueue<Runnable>()
			val caller = launch(Executor(tasks::add).asCoroutineDispatcher()) {
				late.bean<Orders>().run(1) { begun.complete(Unit) }
			}
			withContext(Dispatchers.IO) { tasks.take().run() } // the call
			val start = withContext(Dispatchers.IO) { tasks.take() }
			caller.cancel()
			late.awaitFree("order:1")
			start.run()
			tasks.forEach(Runnable::run)
			caller.join()
			assertThat(begun.isCompleted).isFalse()
		}
	}

	@Test
	fun cancelledCallerLeavesTheQueue() = runBlocking<Unit> {
		application.locks.acquire("order:1").use {
			val caller = launch { orders.run(1) { begun.complete(Unit) } }
			yield()
			caller.cancelAndJoin()
		}
		application.awaitFree("order:1")
		assertThat(begun.isCompleted).isFalse()
	}

	@Component
	class Orders {

		@DistributedLock(key = "'order:' + #id")
		suspend fun <T> run(id: Long, body: suspend () -> T): T = body()

	}

	class LateCancellation {

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		fun advisor(): DefaultPointcutAdvisor {
			val never = Schedulers.fromExecutor { }
			val matches = AnnotationMatchingPointcut.forMethodAnnotation(DistributedLock::class.java)
			return DefaultPointcutAdvisor(matches, MethodInterceptor { (it.proceed() as Mono<*>).cancelOn(never) })
		}

	}

	@Component
	class Stock {

		@DistributedLock(key = "'stock:' + #id")
		suspend fun <T> run(id: Long, body: suspend () -> T): T = body()

	}

}
