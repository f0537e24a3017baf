package io.leasehold.kotlin

import java.util.concurrent.ConcurrentHashMap

import io.leasehold.annotation.DistributedLock
import io.leasehold.observation.LockObservations
import io.micrometer.observation.Observation
import io.micrometer.observation.ObservationHandler
import io.micrometer.observation.ObservationRegistry
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor
import io.r2dbc.h2.H2ConnectionFactory
import io.r2dbc.spi.ConnectionFactory
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.reactor.asCoroutineContext
import kotlinx.coroutines.reactor.awaitSingle
import kotlinx.coroutines.reactor.mono
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.slf4j.MDCContext
import kotlinx.coroutines.withContext
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.slf4j.MDC
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Configuration
import org.springframework.r2dbc.connection.R2dbcTransactionManager
import org.springframework.r2dbc.core.DatabaseClient
import org.springframework.r2dbc.core.await
import org.springframework.r2dbc.core.awaitOne
import org.springframework.stereotype.Component
import org.springframework.transaction.annotation.EnableTransactionManagement
import org.springframework.transaction.annotation.Transactional
import org.springframework.transaction.reactive.TransactionSynchronization
import org.springframework.transaction.reactive.TransactionSynchronizationManager
import reactor.core.publisher.Mono
import reactor.util.context.Context

/**
 * Tests for suspending functions under a lock with a logging context, an observation or a transaction.
 */
class SurroundedFunctionTests {

	@Test
	fun loggingContextOfTheCallerIsThatOfTheBody() = runBlocking<Unit>(MDCContext(mapOf("order" to "1"))) {
		LockedApplication(Orders::class).use {
			it.bean<Orders>().run(1) {
				assertThat(MDC.get("order")).isEqualTo("1")
				withContext(Dispatchers.IO) { assertThat(MDC.get("order")).isEqualTo("1") }
			}
		}
	}

	@Test
	fun observationsAreChildrenOfTheCallers() = runBlocking<Unit> {
		LockedApplication(Observed::class, Orders::class).use {
			val observed = it.bean<Observed>()
			val request = Observation.start("request", observed.registry)
			withContext(Context.of(ObservationThreadLocalAccessor.KEY, request).asCoroutineContext()) {
				it.bean<Orders>().run(1) { }
			}
			assertThat(observed.parents).containsEntry("leasehold.lock.acquire", "request").containsEntry("leasehold.lock.hold", "request")
		}
	}

	@Test
	fun lockIsReleasedAfterTheCommit() = runBlocking<Unit> {
		LockedApplication(Database::class, Payments::class).use { application ->
			val ends = mutableListOf<String>()
			application.bean<Payments>().pay(1) { status ->
				ends += "status $status, free: ${application.isFree("order:1")}"
			}
			assertThat(ends).containsExactly("status ${TransactionSynchronization.STATUS_COMMITTED}, free: false")
			assertThat(application.bean<Payments>().count()).isEqualTo(1)
			assertThat(application.isFree("order:1")).isTrue()
		}
	}

	@Test
	fun lockAcquiredInsideATransactionIsReleasedAfterIt() = runBlocking<Unit> {
		LockedApplication(Database::class, Orders::class, Transfers::class).use { application ->
			application.bean<Transfers>().transfer { assertThat(application.isFree("order:1")).isFalse() }
			application.awaitFree("order:1")
		}
	}

	@Component
	class Orders {

		@DistributedLock(key = "'order:' + #id")
		suspend fun <T> run(id: Long, body: suspend () -> T): T = body()

	}

	@Configuration(proxyBeanMethods = false)
	class Observed : ObservationHandler<Observation.Context> {

		val parents = ConcurrentHashMap<String, String>()

		val registry: ObservationRegistry = ObservationRegistry.create().apply { observationConfig().observationHandler(this@Observed) }

		@Bean
		fun observations() = LockObservations(registry, null, null)

		override fun onStart(context: Observation.Context) {
			parents[context.name!!] = context.parentObservation?.contextView?.name ?: "none"
		}

		override fun supportsContext(context: Observation.Context) = true

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement
	class Database {

		@Bean
		fun connections(): ConnectionFactory = H2ConnectionFactory.inMemory("payments")

		@Bean
		fun transactions(connections: ConnectionFactory) = R2dbcTransactionManager(connections)

		@Bean
		fun client(connections: ConnectionFactory) = DatabaseClient.create(connections)

	}

	@Component
	class Payments(private val client: DatabaseClient) {

		@Transactional
		@DistributedLock(key = "'order:' + #id")
		suspend fun pay(id: Long, atEnd: suspend (Int) -> Unit) {
			client.sql("create table payment (id bigint)").await()
			client.sql("insert into payment values ($id)").await()
			TransactionSynchronizationManager.forCurrentTransaction().awaitSingle().registerSynchronization(object : TransactionSynchronization {

				override fun afterCompletion(status: Int): Mono<Void> = mono { atEnd(status) }.then()

			})
		}

		suspend fun count(): Long = client.sql("select count(*) from payment").map { row -> row.get(0) as Long }.awaitOne()

	}

	@Component
	class Transfers(private val client: DatabaseClient, private val orders: Orders) {

		@Transactional
		suspend fun transfer(beforeCommit: suspend () -> Unit) {
			client.sql("create table transfer (id bigint)").await()
			orders.run(1) { }
			beforeCommit()
		}

	}

}
