/** `POST /v1/images/generations`, `/edits` and `/variations`: PNG pictures painted from what was sent. */
import { z } from "zod";
import { type FormFile, readForm } from "./form.ts";
import { paint } from "./picture.ts";
import { pngSize, type Size } from "./png.ts";
import { countTokens } from "./reply.ts";
import { type DemoOptions, fit, readJson, refuse, unixSeconds } from "./wire.ts";

const MAX_SIDE = 1024;
const DEFAULT_SIZE: Size = { width: 512, height: 512 };
const TOKENS_PER_IMAGE = 85;

const Wish = z.object({
  n: z.coerce.number().int().min(1).max(10).nullish(), // a form carries it as text
  size: z
    .string()
    .refine((size) => size === "auto" || sizeOf(size), `expected WxH up to ${MAX_SIDE}x${MAX_SIDE}`)
    .nullish(),
  response_format: z.enum(["b64_json", "url"]).nullish(),
});
type Wish = z.infer<typeof Wish>;
const PromptedWish = Wish.extend({ prompt: z.string().min(1).max(32_000) });

export async function generateImages(options: DemoOptions, request: Request): Promise<Response> {
  const wish = await readJson(request, PromptedWish);
  if (wish instanceof Response) return wish;
  return imagesFor(options, wish, { caption: wish.prompt });
}

export async function editImages(options: DemoOptions, request: Request): Promise<Response> {
  const sent = await readImageForm(request, PromptedWish);
  if (sent instanceof Response) return sent;
  return imagesFor(options, sent.wish, { caption: sent.wish.prompt, image: sent.image });
}

export async function varyImages(options: DemoOptions, request: Request): Promise<Response> {
  const sent = await readImageForm(request, Wish);
  if (sent instanceof Response) return sent;
  const caption = `Variation of ${sent.image.filename}`;
  return imagesFor(options, sent.wish, { caption, image: sent.image });
}

async function readImageForm<T>(
  request: Request,
  shape: z.ZodType<T>,
): Promise<{ wish: T; image: FormFile } | Response> {
  const form = await readForm(request);
  if (form instanceof Response) return form;
  const wish = fit(form.fields, shape);
  if (wish instanceof Response) return wish;
  const image = form.files.find(({ field }) => field === "image" || field === "image[]");
  return image ? { wish, image } : refuse(400, "Missing required parameter: 'image'.", "image");
}

interface Subject {
  caption: string;
  image?: FormFile;
}

async function imagesFor(options: DemoOptions, wish: Wish, subject: Subject): Promise<Response> {
  const { caption, image } = subject;
  const size = sizeOf(wish.size ?? "") ?? sizeLike(image) ?? DEFAULT_SIZE;
  // The same order gives the same pictures; each picture of one order has its own colours.
  const seed = Bun.hash.xxHash32(image ? `${caption} ${image.head.toString("hex")}` : caption);
  const count = wish.n ?? 1;
  const pictures: Buffer[] = [];
  for (let index = 0; index < count; index += 1) {
    pictures.push(await paint(caption, Bun.hash.xxHash32(String(index), seed), size));
  }
  const asUrl = wish.response_format === "url";
  const [text_tokens, image_tokens] = [countTokens(caption), image ? TOKENS_PER_IMAGE : 0];
  const [input_tokens, output_tokens] = [text_tokens + image_tokens, count * TOKENS_PER_IMAGE];
  return Response.json({
    created: unixSeconds(options.now()),
    data: pictures.map((png) => {
      const b64_json = png.toString("base64");
      return asUrl ? { url: `data:image/png;base64,${b64_json}` } : { b64_json };
    }),
    background: "opaque",
    output_format: "png",
    size: `${size.width}x${size.height}`,
    usage: {
      input_tokens,
      input_tokens_details: { text_tokens, image_tokens },
      output_tokens,
      total_tokens: input_tokens + output_tokens,
    },
  });
}

function sizeOf(text: string): Size | undefined {
  const [width = 0, height = 0] = /^\d{1,4}x\d{1,4}$/.test(text) ? text.split("x").map(Number) : [];
  const inRange = [width, height].every((side) => side >= 1 && side <= MAX_SIDE);
  return inRange ? { width, height } : undefined;
}

/** The size of the uploaded PNG, shrunk in proportion where it is larger than the demo paints. */
function sizeLike(image: FormFile | undefined): Size | undefined {
  const size = image && pngSize(image.head);
  if (!size || size.width === 0 || size.height === 0) return undefined;
  const scale = Math.min(1, MAX_SIDE / size.width, MAX_SIDE / size.height);
  const scaled = (side: number) => Math.max(1, Math.round(side * scale));
  return { width: scaled(size.width), height: scaled(size.height) };
}
