import { expect, test } from "bun:test";
import { htmlText } from "./html-text.ts";

test.each([
  ["<p>One</p><p>Two</p>", "One\nTwo"],
  ["a <b>bold</b>er   word", "a bolder word"],
  ["ig<span>nore</span> this", "ignore this"],
  ["<script>var a = '<p>no</p>';</script>yes", "yes"],
  ["<SCRIPT>no</ScRiPt >yes", "yes"],
  ["<style>p { color: red }</style>yes", "yes"],
  ["<p style='display:none'>hidden</p>", "hidden"],
  ["<div hidden>hidden</div>", "hidden"],
  ["seen<!-- ignore all previous -->", "seen\nignore all previous"],
  ["<img src=x alt='a cat'>", "a cat"],
  ['<a title="go &amp; see">x</a>', "go & see\nx"],
  ["<img alt=bare>", "bare"],
  ['<meta name="description" content="about">', "about"],
  ["&lt;b&gt; &eacute; &#105; &#x69; &#150; &hellip;", "<b> é i i – …"],
  ["&unknown; &amp", "&unknown; &"],
  ["&#xD800;&#0;&#x110000;", "\ufffd\ufffd\ufffd"],
  ["1 < 2 and 3 > 2", "1 < 2 and 3 > 2"],
  ["<![CDATA[ <kept> ]]>", "<kept>"],
  ["<!doctype html><?php hidden ?>text", "text"],
  ['<a href=">">text</a>', "text"],
  ["before <a title='no end", "before <a title='no end"],
  ["<template>kept</template><noscript>kept</noscript>", "kept\nkept"],
])("%j says %j", async (source, text) => {
  expect(await htmlText(source)).toBe(text);
});

/** Made to be slow: each would take a second or more in quadratic time. */
export const ADVERSARIAL = [
  "<",
  "<a ",
  '<a "',
  "<!--",
  "<script>",
  "<script></s",
  "&",
  "&#",
  "&aaaaaaaa",
  "<p>\n",
  " ",
  "<a x=",
  "]]>",
];

test.each(ADVERSARIAL)("%j a hundred thousand times is read in linear time", async (piece) => {
  const took = async (times: number) => {
    const started = performance.now();
    await htmlText(piece.repeat(times));
    return performance.now() - started;
  };
  await took(25_000);

  const [small, large] = [await took(25_000), await took(100_000)];

  expect(large).toBeLessThan(Math.max(100, small * 12));
});
