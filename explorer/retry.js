// In the page itself: a file that cannot be had, as while several gateways are updated one after another, is tried again, and
// then the page says so. Another gateway has other files, so the page is loaded anew once.
((waits) => {
  const tries = {};
  addEventListener(
    "error",
    ({ target }) => {
      const address = target.src || target.href;
      if (!/^(SCRIPT|LINK)$/.test(target.tagName) || !/explorer\/main/.test(address)) return;
      const [path] = address.split("?");
      tries[path] = (tries[path] || 0) + 1;
      const number = tries[path];
      if (number <= waits.length)
        return setTimeout(
          () => {
            const again = document.createElement(target.tagName);
            for (const name of ["type", "rel"]) if (target[name]) again[name] = target[name];
            again[target.src ? "src" : "href"] = `${path}?${number}`;
            target.replaceWith(again);
          },
          waits[number - 1],
        );
      const { dataset } = document.documentElement;
      const last = Number(sessionStorage.getItem("reloaded"));
      sessionStorage.setItem("reloaded", Date.now());
      if (Date.now() - last > 60_000) location.reload();
      else document.querySelector("main").textContent = dataset.failed;
    },
    true,
  );
})([500, 2_000]);
