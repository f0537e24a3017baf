package io.leasehold.kotlin

import java.lang.reflect.Method
import java.util.Optional
import java.util.concurrent.CopyOnWriteArrayList

import io.leasehold.LockBusyException
import io.leasehold.LockException
import io.leasehold.LockInspector
import io.leasehold.annotation.DistributedLock
import io.leasehold.annotation.WhenBusy
import kotlinx.coroutines.CoroutineName
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flowOf
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.yield
import org.aopalliance.intercept.MethodInterceptor
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Test
import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor
import org.springframework.beans.factory.config.BeanDefinition
import org.springframework.context.annotation.Role
import org.springframework.stereotype.Component

/**
 * Tests for functions whose lock is held by another owner.
 */
class BusyFunctionTests {

	private val application = LockedApplication(Orders::class, Advised::class)

	private val orders: Orders = application.bean()

	private val other = application.locks.acquire("k")

	@AfterEach
	fun close() {
		other.close()
		application.close()
	}

	@Test
	fun suspendingFallbackRunsInTheContextOfItsCaller() = runBlocking<Unit>(CoroutineName("caller")) {
		assertThat(orders.suspending(1)).isEqualTo("1 in caller")
	}

	@Test
	fun suspendingFallbackGetsTheException() = runBlocking<Unit> {
		assertThat(orders.reasoned(1)).isEqualTo("1: LockBusyException")
	}

	@Test
	fun adviceInsideTheLockAppliesToSuspendingFallbacks() = runBlocking<Unit> {
		orders.reasoned(1)
		orders.suspending(1)
		assertThat(application.bean<Advised>().methods).containsExactly("explain", "busy")
	}

	@Test
	fun plainFallbackReplacesASuspendingFunction() = runBlocking<Unit> {
		assertThat(orders.plain(1)).isEqualTo("plain 1")
	}

	@Test
	fun fallbackTakesValueClasses() = runBlocking<Unit> {
		assertThat(orders.pay(OrderId(1))).isEqualTo("unpaid 1")
		assertThat(orders.refund(OrderId(1), Amount(2))).isEqualTo("2 of 1: LockBusyException")
		assertThat(orders.send(OrderId(1))).isEqualTo("unsent 1")
	}

	@Test
	fun compilersPartOfANameIsNoPartOfTheLocksName() {
		val held = orders.free(OrderId(1)) { application.bean<LockInspector>().overview().held() }
		assertThat(held.map { it.name() }).contains("Orders.free")
	}

	@Test
	fun fallbackReturnsAFlow() = runBlocking<Unit> {
		assertThat(orders.lines(1).toList()).containsExactly("fallback")
	}

	@Test
	fun skippedFunctionsReturnWhatTheirTypesAllow() = runBlocking<Unit> {
		assertThat(orders.nullable()).isNull()
		assertThat(orders.number()).isNull()
		assertThat(orders.optional()).isEmpty()
		assertThat(orders.skippedLines().toList()).isEmpty()
		orders.nothing()
	}

	@JvmInline
	value class OrderId(val value: Long)

	@JvmInline
	value class Amount(val value: Int)

	/** Advice as that of transactions, inside the lock. */
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	class Advised : StaticMethodMatcherPointcutAdvisor() {

		val methods = CopyOnWriteArrayList<String>()

		init {
			advice = MethodInterceptor { call ->
				methods += call.method.name
				call.proceed()
			}
		}

		override fun matches(method: Method, type: Class<*>) = type == Orders::class.java && method.name in listOf("busy", "explain")

	}

	@Component
	class Orders {

		@DistributedLock(key = "'k'", waitTime = "0s", fallback = "busy")
		suspend fun suspending(id: Long): String = error("$id ran")

		suspend fun busy(id: Long): String {
			yield()
			return "$id in ${currentCoroutineContext()[CoroutineName]?.name}"
		}

		@DistributedLock(key = "'k'", waitTime = "0s", fallback = "explain")
		suspend fun reasoned(id: Long): String = error("$id ran")

		private suspend fun explain(id: Long, reason: LockException): String {
			yield()
			return "$id: ${reason.javaClass.simpleName}"
		}

		@DistributedLock(key = "'k'", waitTime = "0s", fallback = "answer")
		suspend fun plain(id: Long): String = error("$id ran")

		fun answer(id: Long, reason: LockBusyException): String = "wrong $id $reason"

		fun answer(id: Long): String = "plain $id"

		@DistributedLock(key = "'k'", waitTime = "0s", fallback = "unpaid")
		fun pay(id: OrderId): String = error("$id ran")

		fun unpaid(id: OrderId) = "unpaid ${id.value}"

		@DistributedLock(key = "'k'", waitTime = "0s", fallback = "unrefunded")
		suspend fun refund(id: OrderId, amount: Amount): String = error("$id $amount ran")

		internal suspend fun unrefunded(id: OrderId, amount: Amount, reason: LockException): String {
			yield()
			return "${amount.value} of ${id.value}: ${reason.javaClass.simpleName}"
		}

		@DistributedLock(key = "'k'", waitTime = "0s", fallback = "unsent")
		fun send(id: OrderId): String = error("$id ran")

		private fun unsent(id: OrderId) = "unsent ${id.value}"

		@DistributedLock(key = "'free:' + #id")
		fun <T> free(id: OrderId, body: () -> T): T = body()

		@DistributedLock(key = "'k'", waitTime = "0s", fallback = "otherLines")
		fun lines(id: Long): Flow<String> = error("$id ran")

		fun otherLines(id: Long): Flow<String> = flowOf("fallback").also { check(id == 1L) }

		@DistributedLock(key = "'k'", waitTime = "0s", whenBusy = WhenBusy.SKIP)
		suspend fun nullable(): String? = error("ran")

		@DistributedLock(key = "'k'", waitTime = "0s", whenBusy = WhenBusy.SKIP)
		suspend fun number(): Long? = error("ran")

		@DistributedLock(key = "'k'", waitTime = "0s", whenBusy = WhenBusy.SKIP)
		suspend fun optional(): Optional<String> = error("ran")

		@DistributedLock(key = "'k'", waitTime = "0s", whenBusy = WhenBusy.SKIP)
		fun skippedLines(): Flow<String> = error("ran")

		@DistributedLock(key = "'k'", waitTime = "0s", whenBusy = WhenBusy.SKIP)
		suspend fun nothing(): Unit = error("ran")

	}

}
