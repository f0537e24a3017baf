package io.leasehold.kotlin

import java.util.UUID

import io.leasehold.DistributedLocks
import io.leasehold.annotation.DistributedLock
import io.r2dbc.h2.H2ConnectionFactory
import io.r2dbc.spi.Connection
import io.r2dbc.spi.ConnectionFactory
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.reactor.mono
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.reactivestreams.Publisher
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Configuration
import org.springframework.r2dbc.connection.DelegatingConnectionFactory
import org.springframework.r2dbc.connection.R2dbcTransactionManager
import org.springframework.r2dbc.core.DatabaseClient
import org.springframework.r2dbc.core.await
import org.springframework.r2dbc.core.awaitOne
import org.springframework.stereotype.Component
import org.springframework.transaction.ReactiveTransactionManager
import org.springframework.transaction.annotation.EnableTransactionManagement
import org.springframework.transaction.annotation.Transactional
import org.springframework.transaction.reactive.TransactionalOperator
import org.springframework.transaction.reactive.executeAndAwait
import reactor.core.publisher.Mono

/**
 * Tests for functions that are cancelled while their transaction commits: the key is free
 * after the commit, not before, and not a lease later.
 */
class CancelledCommitTests {

	@Test
	fun annotatedTransaction() = cancelled { it.pay() }

	@Test
	fun transactionInTheBody() = cancelled { it.payInTheBody() }

	@Test
	fun flow() = cancelled { it.payAll().toList() }

	@Test
	fun transactionUnderALockInCode() = cancelled { it.payInCode() }

	private fun cancelled(pay: suspend (Payments) -> Unit) = runBlocking<Unit> {
		LockedApplication(Database::class, Payments::class).use { application ->
			val database = application.bean<Database>()
			val payments = application.bean<Payments>()
			payments.createTable()
			database.delays = true
			val caller = launch(Dispatchers.Default) { pay(payments) }
			database.begun.await()
			caller.cancelAndJoin()
			repeat(20) { assertThat(application.isFree("orders")).isFalse() }
			database.delays = false
			database.gate.complete(Unit)
			application.awaitFree("orders")
			assertThat(payments.count()).isEqualTo(1)
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement
	class Database {

		val begun = CompletableDeferred<Unit>()

		val gate = CompletableDeferred<Unit>()

		@Volatile
		var delays = false

		@Bean
		fun connections(): ConnectionFactory = object : DelegatingConnectionFactory(H2ConnectionFactory.inMemory(UUID.randomUUID().toString())) {

			override fun create(): Mono<Connection> = super.create().map { Delayed(it) }

		}

		@Bean
		fun transactions(connections: ConnectionFactory) = R2dbcTransactionManager(connections)

		@Bean
		fun client(connections: ConnectionFactory) = DatabaseClient.create(connections)

		/** Its commits wait for the gate. */
		private inner class Delayed(private val target: Connection) : Connection by target {

			override fun commitTransaction(): Publisher<Void> = mono {
				if (delays) {
					begun.complete(Unit)
					gate.await()
				}
			}.then(Mono.defer { Mono.from(target.commitTransaction()) })

		}

	}

	@Component
	class Payments(private val client: DatabaseClient, private val locks: DistributedLocks, manager: ReactiveTransactionManager) {

		private val operator = TransactionalOperator.create(manager)

		@Transactional
		@DistributedLock(key = "'orders'")
		suspend fun pay() = insert()

		@DistributedLock(key = "'orders'")
		suspend fun payInTheBody() = operator.executeAndAwait { insert() }

		@Transactional
		@DistributedLock(key = "'orders'")
		fun payAll(): Flow<String> = flow {
			insert()
			emit("paid")
		}

		suspend fun payInCode() = locks.withLock("orders") { operator.executeAndAwait { insert() } }

		private suspend fun insert() = client.sql("insert into cancelled_payment values (1)").await()

		suspend fun createTable() {
			client.sql("drop table if exists cancelled_payment").await()
			client.sql("create table cancelled_payment (id bigint)").await()
		}

		suspend fun count(): Long = client.sql("select count(*) from cancelled_payment").map { row -> row.get(0) as Long }.awaitOne()

	}

}
