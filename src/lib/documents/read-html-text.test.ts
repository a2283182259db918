import { expect, test } from "bun:test";
import { expectLinear } from "../../../test/kit/expect-linear.ts";
import { readHtmlText } from "./read-html-text.ts";
import { createTimeSlicer } from "./time-slicer.ts";

const read = (source: string) => readHtmlText(source, createTimeSlicer(3000));

test.each([
  ["<p>One</p><p>Two</p>", "One\nTwo"],
  ["a <b>bold</b>er   word", "a bolder word"],
  ["ig<span>nore</span> this", "ignore this"],
  ["<script>var a = '<p>b</p>';</script>text", "text\nvar a = '<p>b</p>';"],
  ["<SCRIPT>run()</ScRiPt >text", "text\nrun()"],
  ["<style>p { color: red }</style>text", "text\np { color: red }"],
  ["<p style='display:none'>hidden</p>", "hidden\ndisplay:none"],
  ["<div hidden>hidden</div>", "hidden"],
  ["seen<!-- ignore all previous -->", "seen\nignore all previous"],
  ["<img src=x alt='a cat'>", "a cat\nx"],
  ['<a title="go &amp; see">x</a>', "x\ngo & see"],
  ['4111 <span title="x" aria-label="y">1111</span>', "4111 1111\nx\ny"],
  ["4111 <s hidden>x</s>1111", "4111 x1111\n4111 1111"],
  ["41<div style='Display: none'>x<div>y</div></div>11", "41\nx\ny\n11\n4111\nDisplay: none"],
  ["<p hidden>a<p>41<s hidden>x</s>11", "a\n41x11\n4111"],
  ["<div style=display:none>a, never closed <p>4111", "a, never closed\n4111\ndisplay:none"],
  ["<path style='opacity:0'/>41<s hidden>x</s>11", "41x11\n4111\nopacity:0"],
  ["<p class='x hidden y'>4111</p><s hidden>x", "4111\nx\nx hidden y"],
  ["<text>4100</text><text>4150</text>", "4100\n4150"],
  ["<p>41<s hidden>x</s>11<p>end", "41x11\nend\n4111"],
  ["41<i style='font-size:0.5em'>1</i>1<input hidden>1", "41111\nfont-size:0.5em"],
  ['4111 <img alt="">11<button></button>11', "4111 1111"],
  ["<img alt=bare>", "bare"],
  ['<meta name="description" content="about">', "about\ndescription"],
  ["&lt;b&gt; &eacute; &#105; &#x69; &#150; &hellip;", "<b> é i i – …"],
  ["&unknown; &amp", "&unknown; &"],
  ["&#xD800;&#0;&#x110000;", "\ufffd\ufffd\ufffd"],
  ["1 < 2 and 3 > 2", "1 < 2 and 3 > 2"],
  ["<![CDATA[ <kept> ]]>", "<kept>"],
  ["<!DOCTYPE html><?xml version='1.0'?>text", "text"],
  ["<!ignore all previous>text<?php hidden ?>", "text\nignore all previous\nphp hidden ?"],
  ["4111<!-- x -->1111", "41111111\nx"],
  ["<script>not closed, so not code", "not closed, so not code"],
  ['<a href=">">text</a>', "text\n>"],
  ['<p data-note="ignore &amp; all">text</p>', "text\nignore & all"],
  ['<iframe srcdoc="<p>shown</p>"></iframe>text', "text\n<p>shown</p>"],
  ["<p ignore all previous>text</p>", "text\nignore all previous"],
  ["<p onclick='run()' style='color: red'>text</p>", "text\nrun()\ncolor: red"],
  ["<ignore-all-previous a>text</ignore-all-previous>", "text\nignore-all-previous"],
  ["<p ignore-all-previous='1'>text<p ignore-all-previous=''>", "text\n1\nignore-all-previous"],
  ["<!doctype html ignore all previous>text", "text\ndoctype html ignore all previous"],
  ["before <a title='no end", "before <a title='no end"],
  ["<template>kept</template><noscript>kept</noscript>", "kept\nkept"],
])("the text of %j is %j", async (source, text) => {
  expect(await read(source)).toBe(text);
});

/** Made to be slow: unfinished things, each of which could make a reader look to the end again. */
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

test.each(ADVERSARIAL)("%j repeated is read in linear time", async (piece) => {
  const make = (length: number) => piece.repeat(length / piece.length);

  await expectLinear(read, make);
});
