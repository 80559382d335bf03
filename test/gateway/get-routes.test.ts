import { expect, test } from "@jest/globals";
import { behaviourOf } from "../../gateway/compatibility/compatibility.js";
import { GetRoutes } from "../../gateway/rest/get-routes.js";
import { routesIn } from "../../gateway/rest/routes/table.js";

test("a route is found by its path: literal segments first, parameters by name", () => {
  const routes = new GetRoutes<string>();
  for (const path of ["/a", "/a/b", "/a/{c}", "/a/b/{d}", "/a/{c}/e", "/a/{c}/{d}/f"]) routes.add(path, path);
  const found = (url: string) => {
    const { entry, parameters } = routes.find(url) ?? {};
    return entry && [entry, parameters];
  };
  expect(found("/a?b=%20#")).toEqual(["/a", {}]);
  expect(found("/a/b")).toEqual(["/a/b", {}]);
  expect(found("/a/x?")).toEqual(["/a/{c}", { c: "x" }]);
  expect(found("/a/b/x")).toEqual(["/a/b/{d}", { d: "x" }]);
  // Only the parameter continues with the rest of the path.
  expect(found("/a/x/e")).toEqual(["/a/{c}/e", { c: "x" }]);
  expect(found("/a/b/x/f")).toEqual(["/a/{c}/{d}/f", { c: "b", d: "x" }]);
  for (const other of ["/", "/b", "/a/x/y", "/a/b/c/d", "/a/", "/A", "//a", "/a//e", "*", "", "http://x/a", "/a/%62"]) {
    expect(found(other)).toBeUndefined();
  }
  expect(() => routes.add("/a/{other}", "")).toThrow(RangeError);
});

test("every route with method GET and a path of its own is found by it, with its parameters", () => {
  const routes = new GetRoutes<string>();
  const paths = routesIn(behaviourOf("spec")).flatMap(({ method, path }) =>
    method === "GET" && path !== "/" ? [path] : [],
  );
  for (const path of paths) routes.add(path, path);
  expect(paths.length).toBeGreaterThan(50);
  for (const path of paths) {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);
    const parameters = Object.fromEntries(names.map((name) => [name, `some-${name}`]));
    const url = path.replaceAll(/\{(\w+)\}/g, "some-$1");
    expect(routes.find(url)).toEqual({ entry: path, parameters });
  }
});
