package io.leasehold.sample.show;

import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import io.leasehold.LockBusyException;
import io.leasehold.LockEngineException;
import io.leasehold.LockInterruptedException;
import io.leasehold.LockLostException;
import io.leasehold.StaleFencingTokenException;
import io.leasehold.sample.shop.Instance;
import io.leasehold.sample.shop.StockService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.dao.DataAccessException;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;
import org.springframework.stereotype.Component;

/**
 * Polls for a running sale, and buys with this instance's share of its buyers until
 * nothing is left.
 */
@Component
class Buyers implements DisposableBean {

	private static final Logger logger = LoggerFactory.getLogger(Buyers.class);

	private final Sales sales;

	private final StockService stock;

	private final Heartbeat heartbeat;

	private final LockWatch watch;

	private final Instance instance;

	private final ExecutorService threads = Executors.newCachedThreadPool(new CustomizableThreadFactory("buyer-"));

	private long joined;

	Buyers(Sales sales, StockService stock, Heartbeat heartbeat, LockWatch watch, Instance instance) {
		this.sales = sales;
		this.stock = stock;
		this.heartbeat = heartbeat;
		this.watch = watch;
		this.instance = instance;
	}

	@Scheduled(fixedDelay = 100)
	void join() {
		this.sales.running().filter((sale) -> sale.id() > this.joined).ifPresent(this::join);
	}

	private void join(Sale sale) {
		this.joined = sale.id();
		this.watch.reset();
		int share = share(sale.buyers(), this.heartbeat.alive());
		for (int i = 0; i < share; i++) {
			this.threads.execute(() -> buyUntilSoldOut(sale));
		}
	}

	private int share(int buyers, List<String> instances) {
		int count = Math.max(1, instances.size());
		int rank = Math.max(0, instances.indexOf(this.instance.name()));
		return buyers / count + ((rank < buyers % count) ? 1 : 0);
	}

	private void buyUntilSoldOut(Sale sale) {
		try {
			while (this.sales.isRunning(sale.id()) && buy(sale)) {
				Thread.onSpinWait();
			}
			this.sales.end(sale.id());
		}
		catch (DataAccessException | LockInterruptedException ex) {
			logger.warn("A buyer went home: {}", ex.getMessage());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/** A buyer who had no lock, or lost it, comes back as long as the sale goes on. */
	private boolean buy(Sale sale) throws InterruptedException {
		try {
			return sale.locked() ? this.stock.sell(sale.id(), this.instance.name())
					: this.stock.sellWithoutLock(sale.id(), this.instance.name());
		}
		catch (LockBusyException | LockEngineException | LockLostException | StaleFencingTokenException ex) {
			logger.warn("A buyer comes back in a second: {}", ex.getMessage());
			Thread.sleep(1000);
			return true;
		}
	}

	@Override
	public void destroy() {
		this.threads.shutdownNow();
	}

}
