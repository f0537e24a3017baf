package io.leasehold.sample;

import java.nio.file.Path;
import java.time.Duration;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
			eventually().until(() -> browser.evaluate("document.querySelectorAll('#instances tr').length + ''"),
					"2"::equals);
			browser.evaluate("document.getElementById('units').value = 300");
			browser.click("start");
			eventually().until(() -> browser.textOf("holder"), (holder) -> holder.startsWith("shop-"));
			eventually().until(() -> Integer.parseInt(browser.textOf("sold")) > 150);
			eventually().until(() -> browser.textOf("locks"), (locks) -> locks.contains("StockService.sell")
					&& locks.contains("stock:") && locks.contains("buyer-") && locks.contains("longest"));
			browser.screenshot(SCREENSHOTS.resolve("page-running.png"));
			eventually().until(() -> browser.evaluate("document.body.dataset.running"), "false"::equals);
			eventually().until(() -> browser.textOf("sold"), "300"::equals);
			assertThat(browser.textOf("left")).isEqualTo("0");
			assertThat(browser.textOf("oversold")).isEqualTo("0");
			assertThat(browser.evaluate("document.querySelectorAll('#plot circle').length + ''")).isNotEqualTo("0");
			eventually().until(() -> browser.textOf("locks"), (locks) -> !locks.contains("stock:"));
			assertThat(browser.textOf("instances")).contains(one.name(), other.name());
			browser.screenshot(SCREENSHOTS.resolve("page-locked.png"));
			String sale = browser.evaluate("document.body.dataset.sale");
			browser.click("lock");
			browser.click("start");
			eventually().until(() -> !browser.evaluate("document.body.dataset.sale").equals(sale)
					&& browser.evaluate("document.body.dataset.running").equals("false"));
			eventually().until(() -> Integer.parseInt(browser.textOf("oversold")) > 0);
			browser.screenshot(SCREENSHOTS.resolve("page-unlocked.png"));
			browser.click("pay");
			eventually().until(() -> browser.textOf("paid"), (text) -> text.contains("payment"));
			browser.click("rush");
			eventually().until(() -> browser.textOf("rushed"), "24 orders paid, at most 3 at once"::equals);
			browser.click("quote");
			eventually().until(() -> browser.textOf("quoted"), (text) -> text.endsWith(" by the new one, 0 by both"));
			browser.click("fill");
			eventually().until(() -> browser.textOf("filled"), "20 carts filled, 0 cups left"::equals);
			browser.click("submit");
			eventually().until(() -> browser.textOf("submitted"), (text) -> text.contains("accepted"));
			browser.click("submit");
			eventually().until(() -> browser.textOf("submitted"), (text) -> text.contains("Already"));
		}
	}

	private static ConditionFactory eventually() {
		return Awaitility.await().atMost(Duration.ofSeconds(90)).pollInterval(Duration.ofMillis(100));
	}

}
