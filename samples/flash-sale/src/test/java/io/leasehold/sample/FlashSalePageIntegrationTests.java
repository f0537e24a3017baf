package io.leasehold.sample;

import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Predicate;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the page in a real browser, with two instances behind it.
 */
class FlashSalePageIntegrationTests {

	private static final Path SCREENSHOTS = Path.of(System.getProperty("sample.screenshots", "target"));

	private static ShopProcess one;

	@TempDir
	static Path data;

	@BeforeAll
	static void start() throws Exception {
		one = ShopProcess.start(data);
	}

	@AfterAll
	static void stop() {
		one.close();
	}

	@Test
	void pageShowsTwoInstancesCompetingWithAndWithoutTheLock() throws Exception {
		try (ShopProcess other = ShopProcess.start(data); Browser browser = new Browser(1000, 1300, false)) {
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
			leadershipMovesToTheOther(browser, other);
			killedInstanceStaysVisible(browser, other);
		}
	}

	/** On a slow machine the first leader may come back, and steps down again then. */
	private static void leadershipMovesToTheOther(Browser browser, ShopProcess other) {
		eventually().until(() -> {
			browser.clickIfShown("#down");
			return browser.text("#instances").contains(other.name() + "leads")
					&& browser.text("#offer").contains("announced by " + other.name());
		});
	}

	/** All units of the sale are seen, also those that the killed one sold. */
	private static void killedInstanceStaysVisible(Browser browser, ShopProcess other) throws Exception {
		eventually().until(() -> {
			boolean ended = !one.sale().path("running").asBoolean();
			if (ended && one.soldBy(other.name()) == 0) {
				start(browser, "#locked"); // the other one came too late
			}
			return ended && one.soldBy(other.name()) > 0;
		});
		int sold = one.soldBy(other.name());
		String colour = browser.attribute("#instances tr:last-child .dot", "style");
		other.kill();
		eventually().until(() -> browser.text("#instances"), (text) -> text.contains(other.name() + "gone" + sold));
		eventually().until(() -> browser.text("#instances"), (text) -> text.contains(one.name() + "leads"));
		assertThat(one.soldBy(one.name()) + one.soldBy(other.name())).isEqualTo(300);
		assertThat(browser.attribute("#instances tr:last-child .dot", "style")).isEqualTo(colour);
		assertThat(browser.text("#another")).contains("flash-sale.jar").contains("--server.port=");
		browser.screenshot(SCREENSHOTS.resolve("page-killed.png"));
	}

	@Test
	void pageFitsIntoNarrowWindows() throws Exception {
		try (Browser light = new Browser(360, 3200, false); Browser dark = new Browser(1000, 1300, true)) {
			light.open(one.address());
			dark.open(one.address());
			light.type("#units", "100");
			start(light, "#unlocked");
			eventually().until(() -> light.text("#unlocked .status"), (text) -> text.contains("ended after"));
			eventually().until(() -> dark.text("#unlocked .status"), (text) -> text.contains("ended after"));
			light.screenshot(SCREENSHOTS.resolve("page-narrow.png"));
			dark.screenshot(SCREENSHOTS.resolve("page-dark.png"));
			assertThat(light.cut()).isEmpty();
			assertThat(light.isBelow("#locked", "#unlocked")).isTrue();
			assertThat(dark.isBelow("#locked", "#unlocked")).isFalse();
			assertThat(dark.cut()).isEmpty();
		}
	}

	private static void sellWithoutTheLock(Browser browser) {
		start(browser, "#unlocked");
		eventually().until(() -> browser.text("#unlocked .status"), (text) -> text.contains("ended after"));
		assertThat(browser.number("#unlocked [data-figure=oversold]")).isPositive();
	}

	private static void sellWithTheLock(Browser browser) throws Exception {
		start(browser, "#locked");
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

	private static void start(Browser browser, String card) {
		String before = browser.text("#status");
		browser.click(card + " .start");
		eventually().until(() -> browser.text("#status"),
				(status) -> status.startsWith("sale") && !status.equals(before));
	}

	/** Wait for what is shown during a sale only: a slow browser may need another one. */
	private static void awaitWhileSelling(Browser browser, String selector, Predicate<String> condition) {
		eventually().until(() -> {
			boolean shown = condition.test(browser.text(selector));
			if (!shown && browser.text("#locked .status").contains("ended after")) {
				start(browser, "#locked");
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
		return Awaitility.await().atMost(Duration.ofMinutes(3)).pollInterval(Duration.ofMillis(100));
	}

}
