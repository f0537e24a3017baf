package io.leasehold.key;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.cfg.Configuration;
import org.jspecify.annotations.Nullable;

/**
 * Entities of Hibernate, and its lazy proxies of them.
 */
final class Entities {

	private static @Nullable Session session;

	private Entities() {
	}

	/** Return a proxy that Hibernate loads when it is read. */
	static Object lazy(Class<?> type, String id) {
		Session open = session();
		open.clear();
		return open.getReference(type, id);
	}

	private static Session session() {
		Session open = session;
		if (open == null) {
			SessionFactory factory = new Configuration().addAnnotatedClass(Product.class)
				.addAnnotatedClass(Customer.class)
				.setProperty("hibernate.connection.url", "jdbc:h2:mem:keys;DB_CLOSE_DELAY=-1")
				.setProperty("hibernate.hbm2ddl.auto", "create")
				.buildSessionFactory();
			factory.inTransaction((creator) -> {
				creator.persist(new Product("a"));
				creator.persist(new Customer("a"));
			});
			open = factory.openSession();
			session = open;
		}
		return open;
	}

	/** Entity with a business key. */
	@Entity(name = "Product")
	public static class Product {

		@Id
		private @Nullable String sku;

		protected Product() {
		}

		Product(String sku) {
			this.sku = sku;
		}

		@Nullable String getSku() {
			return this.sku;
		}

		@Override
		public boolean equals(@Nullable Object other) {
			return other instanceof Product product && String.valueOf(this.sku).equals(product.getSku());
		}

		@Override
		public int hashCode() {
			return String.valueOf(this.sku).hashCode();
		}

		@Override
		public String toString() {
			return "SKU " + this.sku;
		}

	}

	/** Entity that inherits its text. */
	@Entity(name = "Customer")
	public static class Customer {

		@Id
		private @Nullable String id;

		protected Customer() {
		}

		Customer(String id) {
			this.id = id;
		}

	}

	/** Entity with a text for logs. */
	@Entity(name = "Invoice")
	public static class Invoice extends Customer {

		Invoice(String id) {
			super(id);
		}

		@Override
		public String toString() {
			return "Invoice";
		}

	}

}
