const colours = ["--one", "--two", "--three", "--four"].map((name) => `var(${name})`);
const at = (id) => document.getElementById(id);
const text = (id, value) => { at(id).textContent = value; };

async function post(path, body) {
	const response = await fetch(path, {
		method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body)
	});
	if (!response.ok) {
		throw new Error("No response. Is the lock store running?");
	}
	return response.json();
}

async function answer(id, question) {
	try {
		text(id, await question());
	}
	catch (failure) {
		text(id, failure.message);
	}
}

function element(name, content, attributes = {}) {
	const made = document.createElement(name);
	Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value));
	made.append(...[].concat(content));
	return made;
}

const kind = (sale) => sale.locked ? "locked" : "unlocked";

/** Both kinds of sale stay on the page, each with its latest run. */
function showRun(sale) {
	const figures = {
		oversold: sale.oversold, sold: sale.sold, left: Math.max(0, sale.leftOver), once: `${sale.soldOnce} of ${sale.units}`,
		rate: sale.soldOncePerSecond.toFixed(1)
	};
	const card = at(kind(sale));
	Object.entries(figures).forEach(([name, value]) => { card.querySelector(`[data-figure=${name}]`).textContent = value; });
	card.querySelector(".status").textContent =
		`${sale.units} units, ${sale.buyers} buyers, ${sale.running ? "running for" : "ended after"} ${sale.seconds.toFixed(1)} s`;
	card.classList.toggle("bad", sale.oversold > 0);
	card.classList.toggle("good", !sale.running && sale.oversold === 0);
}

function showSales(sales) {
	sales.forEach(showRun);
	const [latest] = sales;
	if (latest) {
		text("status", `sale ${latest.id}, ${latest.locked ? "with" : "without"} the lock`);
		document.body.dataset.sale = latest.id;
		document.body.dataset.running = latest.running;
	}
}

/** An instance keeps its colour, also if it is killed and started again. */
const colour = (shop) => colours[(shop.id - 1) % colours.length];
const dot = (shop) => element("span", [], { class: "dot", style: `background:${colour(shop)}` });
/** In narrow windows the label stands before the content. */
const cell = (label, content, attributes = {}) => element("td", content, { "data-label": label, ...attributes });

/** Return the leader, or nothing. Of two reports, that of the former leader is old. */
const leader = (instances) => instances.filter((shop) => shop.alive && shop.term).sort((one, other) => other.term - one.term).slice(0, 1);

function badges(shop, instances) {
	if (!shop.alive) {
		return [element("span", "gone", { class: "badge" })];
	}
	return leader(instances).includes(shop) ? [element("span", "leads", { class: "badge leader", title: `term ${shop.term}` })] : [];
}

function showInstances(instances, sale) {
	at("instances").replaceChildren(...instances.map((shop) => element("tr", [
		cell("Instance", [dot(shop), shop.name, ...badges(shop, instances)]),
		cell("Sold", String(shop.sold)),
		cell("Waiting", shop.alive ? String(shop.waiting) : "–"),
		cell("Outcomes of acquisition", shop.outcomes.replaceAll("=", " ").replaceAll(",", ", ") || "–"),
		cell("Kill it", shop.alive ? element("code", `kill -9 ${shop.process}`) : "–")
	], shop.alive ? {} : { class: "gone" })));
	const whole = sale ? Math.max(sale.units, sale.sold) : 1;
	at("progress").replaceChildren(...instances.map((shop) => element("div", [],
		{ style: `width:${100 * shop.sold / whole}%;background:${colour(shop)}` })));
	at("legend").replaceChildren(...instances.map((shop) => element("span", [dot(shop), shop.name])));
}

function svg(name, attributes, content = "") {
	const made = document.createElementNS("http://www.w3.org/2000/svg", name);
	Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value));
	made.textContent = content;
	return made;
}

function plot(instances) {
	const series = instances.map((shop) => shop.holds ? shop.holds.split(",").map((micros) => micros / 1000) : []);
	const most = Math.max(4, ...series.flat());
	const top = Math.ceil(most / 4) * 4;
	const width = at("plot").clientWidth || 720;
	at("plot").setAttribute("viewBox", `0 0 ${width} 200`);
	const y = (value) => 185 - 170 * value / top;
	const drawn = [0, 1, 2, 3, 4].flatMap((step) => [
		svg("line", { x1: 34, x2: width, y1: y(step * top / 4), y2: y(step * top / 4) }),
		svg("text", { x: 26, y: y(step * top / 4) + 4, "text-anchor": "end" }, String(step * top / 4))
	]);
	instances.forEach((shop, i) => series[i].forEach((value, n) => drawn.push(svg("circle",
		{ cx: 42 + (width - 52) * n / 119, cy: y(value), r: 2.6, fill: colour(shop), "fill-opacity": 0.75 }))));
	at("plot").replaceChildren(...drawn);
}

function show(state) {
	text("self", state.self);
	text("engine", state.engine);
	showSales(state.sales);
	showInstances(state.instances, state.sales[0]);
	plot(state.instances);
	text("holder", state.holder || "no process");
	text("offer", state.offer ? `${state.offer.article}, announced by ${state.offer.instance} in term ${state.offer.term}` : "none yet");
	text("another", state.another);
	at("down").hidden = !leader(state.instances).some((shop) => shop.name === state.self);
	at("reports").replaceChildren(...state.reports.map((report) => element("li",
		[element("span", report.ran), report.instance])));
}

const read = async (path) => (await fetch(path)).json();
const age = (moment) => `${Math.max(0, (Date.now() - Date.parse(moment)) / 1000).toFixed(1)} s`;

/** Return one line per holder. Shared locks and permits have several. */
function lines(holders, describe, more = "") {
	const shown = holders.slice(0, 3).map((holder) => element("div", describe(holder)));
	return holders.length > 3 ? [...shown, element("div", more)] : holders.length ? shown : "–";
}

function holdersOf(lock, instances) {
	return lock.failure || lines(lock.holders, (holder) => {
		const shop = instances.find((one) => one.process === holder.process);
		return `${shop ? shop.name : "process " + holder.process}, ${holder.thread}`;
	}, `and ${lock.holders.length - 3} more`);
}

/** Show the keys that this instance uses most, with their holders from the store. */
async function showLocks(instances) {
	const { held, waiting } = await read("actuator/locks");
	const used = Object.groupBy([...waiting, ...held], (lock) => `${lock.engine}?key=${encodeURIComponent(lock.key)}`);
	const paths = Object.keys(used).sort((one, other) => used[other].length - used[one].length || one.localeCompare(other)).slice(0, 5);
	const locks = await Promise.all(paths.map((path) => read(`actuator/locks/${path}`)));
	const rows = locks.map((lock, i) => element("tr", [
		cell("Key", lock.key), cell("Lock", used[paths[i]][0].name),
		cell("Held by", holdersOf(lock, instances), { class: lock.failure ? "failure" : "" }),
		cell("Since", lines(lock.holders, ({ since }) => `${new Date(since).toLocaleTimeString("en-GB")} (${age(since)})`)),
		cell("Waiting here", lock.here.waiting.length ? `${lock.here.waiting.length}, longest ${age(lock.here.waiting[0].since)}` : "0")
	]));
	at("locks").replaceChildren(...(rows.length ? rows
		: [element("tr", element("td", "This instance holds no lock and waits for none.", { colspan: 5, class: "none" }))]));
}

async function follow() {
	try {
		const state = await read("api/state");
		show(state);
		await showLocks(state.instances);
	}
	catch (failure) {
		text("status", "this instance does not respond");
	}
	setTimeout(follow, 300);
}

at("sale").addEventListener("submit", async (event) => {
	event.preventDefault();
	await post("api/sales", { units: +at("units").value, buyers: +at("buyers").value, lock: event.submitter.value === "locked" });
});
at("down").addEventListener("click", () => fetch("api/step-down", { method: "POST" }));
at("pay").addEventListener("click", () => answer("paid", async () => {
	const result = await post("api/pay-twice", {});
	return `Order ${result.order}: ${result.payments} payment${result.payments === 1 ? "" : "s"}`
		+ (result.cancelled ? ", cancelled first" : "");
}));
at("rush").addEventListener("click", () => answer("rushed", async () => {
	const { paid, atOnce } = await post("api/rush", {});
	return `${paid} orders paid, at most ${atOnce} concurrently`;
}));
at("quote").addEventListener("click", () => answer("quoted", async () => {
	const { old, fresh, mixed } = await post("api/prices", {});
	return `${old} from the old list, ${fresh} from the new one, ${mixed} mixed`;
}));
at("fill").addEventListener("click", () => answer("filled", async () => {
	const { filled, left } = await post("api/carts", {});
	return `${filled} carts filled, ${left} cups left`;
}));
at("submit").addEventListener("click", () =>
	answer("submitted", async () => (await post("api/submit", { customer: "ada" })).response));
follow();
