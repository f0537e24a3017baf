package io.leasehold.interceptor;

import io.leasehold.DistributedLocks;
import io.leasehold.LockBusyException;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.interceptor.LockInterceptorFixture.Recorder;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.ComponentScan.Filter;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.FilterType;
import org.springframework.data.annotation.Id;
import org.springframework.data.keyvalue.annotation.KeySpace;
import org.springframework.data.map.repository.config.EnableMapRepositories;
import org.springframework.data.repository.CrudRepository;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for repositories of Spring Data, whose proxies call a class that does not
 * implement their interface.
 */
@Fault(169)
class LockedRepositoryTests {

	@Test
	void annotationOfARepositoryCoversItsMethods() {
		Locked.runner(Repositories.class, Recorder.class).run((context) -> {
			Customers customers = context.getBean(Customers.class);
			customers.save(new Customer("one"));
			assertThat(context.getBean(Recorder.class).acquired("Customers.save")).containsExactly("customers");
			Locked.whileHeld(context.getBean(DistributedLocks.class), "customers",
					() -> assertThatExceptionOfType(LockBusyException.class)
						.isThrownBy(() -> customers.deleteById("one")));
			assertThat(customers.count()).isOne();
		});
	}

	@Test
	void lockIsNamedAfterItsRepository() {
		Locked.runner(Repositories.class, Recorder.class).run((context) -> {
			context.getBean(Suppliers.class).deleteById("one");
			context.getBean(Suppliers.class).countByName("one");
			Recorder recorder = context.getBean(Recorder.class);
			assertThat(recorder.acquired("Suppliers.deleteById")).containsExactly("supplier:one");
			context.getBean(Customers.class).deleteById("one");
			assertThat(recorder.acquired("Customers.deleteById")).containsExactly("customers");
			assertThat(recorder.acquired("Suppliers.countByName")).containsExactly("supplier:one");
		});
	}

	/** A default method, and a query. */
	@Test
	void fallbackOfARepositoryIsCalled() {
		Locked.runner(Repositories.class).run((context) -> {
			Suppliers suppliers = context.getBean(Suppliers.class);
			Locked.whileHeld(context.getBean(DistributedLocks.class), "supplier:one", () -> {
				assertThat(suppliers.existsByName("one")).isTrue();
				assertThat(suppliers.countByNameEndingWith("one")).isZero();
			});
		});
	}

	/** As the manual recommends. On their interface, they would be counted twice. */
	@Test
	void permitsOfTheClassOfAFragmentAreCountedOnce() {
		Locked.runner(Repositories.class, Recorder.class).run((context) -> {
			assertThat(context.getBean(Suppliers.class).archive("one")).isEqualTo("one");
			assertThat(context.getBean(Recorder.class).acquired("ArchiveImpl.archive")).containsExactly("archive:one");
		});
	}

	@Configuration(proxyBeanMethods = false)
	@EnableMapRepositories(considerNestedRepositories = true,
			includeFilters = @Filter(type = FilterType.ASSIGNABLE_TYPE, classes = { Customers.class, Suppliers.class }))
	static class Repositories {

	}

	@DistributedLock(key = "'customers'")
	interface Customers extends CrudRepository<Customer, String> {

	}

	interface Archive {

		String archive(String name);

	}

	/** Spring Data finds it by its name. */
	static class ArchiveImpl implements Archive {

		@Override
		@DistributedLock(key = "'archive:' + #name", permits = "1")
		public String archive(String name) {
			return name;
		}

	}

	interface Suppliers extends CrudRepository<Customer, String>, Archive {

		@Override
		@DistributedLock(key = "'supplier:' + #id")
		void deleteById(String id);

		@DistributedLock(key = "'supplier:' + #name")
		long countByName(String name);

		@DistributedLock(key = "'supplier:' + #name", fallback = "unknown")
		boolean existsByName(String name);

		default boolean unknown(String name) {
			return true;
		}

		@DistributedLock(key = "'supplier:' + #name", fallback = "countByNameStartingWith")
		long countByNameEndingWith(String name);

		long countByNameStartingWith(String name);

	}

	@KeySpace("customers")
	record Customer(@Id String name) {

	}

}
