package io.leasehold.sample;

import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Predicate;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.StaleElementReferenceException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the page in a real browser, with two instances behind it.
 */
class FlashSalePageIntegrationTests {

	private static final Path SCREENSHOTS = Path.of(System.getProperty("sample.screenshots", "target"));

	@TempDir
	Path data;

	@Test
	void pageShowsTwoInstancesCompetingWithAndWithoutTheLock() throws Exception {
		try (ShopProcess one = ShopProcess.start(this.data);
				ShopProcess other = ShopProcess.start(this.data);
				Browser browser = new Browser(1000, 1300, false)) {
			browser.open(one.address());
			eventually().until(() -> browser.count("#instances tr"), (count) -> count == 2);
			browser.type("#units", "300");
			sellWithoutTheLock(browser);
			sellWithTheLock(browser);
			// An instance that reports late is hidden for a moment
			eventually().untilAsserted(() -> assertThat(browser.text("#instances")).contains(one.name(), other.name(),
					"kill -9 " + one.process()));
			assertThat(browser.number("#unlocked [data-figure=oversold]")).isPositive();
			assertThat(browser.text("#unlocked")).contains("ended after");
			browser.screenshot(SCREENSHOTS.resolve("page.png"));
			tryTheOtherCards(browser);
		}
	}

	@Test
	void pageFitsIntoNarrowWindows() throws Exception {
		try (ShopProcess shop = ShopProcess.start(this.data);
				Browser light = new Browser(500, 1600, false);
				Browser dark = new Browser(1000, 1300, true)) {
			light.open(shop.address());
			dark.open(shop.address());
			light.click("#unlocked .start");
			eventually().until(() -> light.text("#unlocked .status"), (text) -> text.contains("ended after"));
			eventually().until(() -> dark.text("#unlocked .status"), (text) -> text.contains("ended after"));
			light.screenshot(SCREENSHOTS.resolve("page-narrow.png"));
			dark.screenshot(SCREENSHOTS.resolve("page-dark.png"));
			assertThat(light.overflows()).isFalse();
			assertThat(light.isBelow("#locked", "#unlocked")).isTrue();
			assertThat(dark.isBelow("#locked", "#unlocked")).isFalse();
			assertThat(dark.overflows()).isFalse();
		}
	}

	private static void sellWithoutTheLock(Browser browser) {
		browser.click("#unlocked .start");
		eventually().until(() -> browser.text("#unlocked .status"), (text) -> text.contains("ended after"));
		assertThat(browser.number("#unlocked [data-figure=oversold]")).isPositive();
	}

	private static void sellWithTheLock(Browser browser) throws Exception {
		startWithTheLock(browser);
		awaitWhileSelling(browser, "#holder", (holder) -> holder.startsWith("shop-"));
		eventually().until(() -> browser.number("#locked [data-figure=sold]") > 150);
		awaitWhileSelling(browser, "#locks", (locks) -> locks.contains("StockService.sell") && locks.contains("stock:")
				&& locks.contains("buyer-") && locks.contains("longest"));
		browser.screenshot(SCREENSHOTS.resolve("page-running.png"));
		eventually().until(() -> browser.text("#locked .status"), (text) -> text.contains("ended after"));
		assertThat(browser.text("#locked [data-figure=sold]")).isEqualTo("300");
		assertThat(browser.text("#locked [data-figure=once]")).isEqualTo("300 of 300");
		assertThat(browser.text("#locked [data-figure=left]")).isEqualTo("0");
		assertThat(browser.text("#locked [data-figure=oversold]")).isEqualTo("0");
		assertThat(browser.count("#plot circle")).isPositive();
		eventually().until(() -> browser.text("#locks"), (locks) -> !locks.contains("stock:"));
	}

	private static void startWithTheLock(Browser browser) {
		String before = browser.text("#status");
		browser.click("#locked .start");
		eventually().until(() -> browser.text("#status"),
				(status) -> status.startsWith("sale") && !status.equals(before));
	}

	/** Wait for what is shown during a sale only: a slow browser may need another one. */
	private static void awaitWhileSelling(Browser browser, String selector, Predicate<String> condition) {
		eventually().until(() -> {
			boolean shown = condition.test(browser.text(selector));
			if (!shown && browser.text("#locked .status").contains("ended after")) {
				startWithTheLock(browser);
			}
			return shown;
		});
	}

	private static void tryTheOtherCards(Browser browser) {
		browser.click("#pay");
		eventually().until(() -> browser.text("#paid"), (text) -> text.contains("payment"));
		browser.click("#rush");
		eventually().until(() -> browser.text("#rushed"), "24 orders paid, at most 3 concurrently"::equals);
		browser.click("#quote");
		eventually().until(() -> browser.text("#quoted"), (text) -> text.endsWith(" from the new one, 0 mixed"));
		browser.click("#fill");
		eventually().until(() -> browser.text("#filled"), "20 carts filled, 0 cups left"::equals);
		browser.click("#submit");
		eventually().until(() -> browser.text("#submitted"), (text) -> text.contains("accepted"));
		eventually().until(() -> {
			browser.click("#submit");
			return browser.text("#submitted");
		}, (text) -> text.contains("Already"));
	}

	private static ConditionFactory eventually() {
		return Awaitility.await()
			.atMost(Duration.ofMinutes(3))
			.pollInterval(Duration.ofMillis(100))
			.ignoreException(StaleElementReferenceException.class);
	}

}
