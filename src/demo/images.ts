/** `POST /v1/images/generations`, `/edits` and `/variations`: PNG images painted from the request. */
import { z } from "zod";
import { countTokens } from "./compose-reply.ts";
import { type FormFile, readForm } from "./form.ts";
import { paintPicture } from "./paint-picture.ts";
import { readPngSize, type Size } from "./png.ts";
import {
  type DemoOptions,
  errorResponse,
  formatNamedEvent,
  readJson,
  streamEvents,
  unixSeconds,
  validate,
} from "./wire.ts";

const MAX_SIDE = 1024;
const DEFAULT_SIZE: Size = { width: 512, height: 512 };
const TOKENS_PER_IMAGE = 85;

const ImageRequest = z.object({
  n: z.coerce.number().int().min(1).max(10).nullish(), // text in a multipart body
  size: z
    .string()
    .refine((size) => size === "auto" || sizeOf(size), `expected WxH up to ${MAX_SIDE}x${MAX_SIDE}`)
    .nullish(),
  response_format: z.enum(["b64_json", "url"]).nullish(),
  stream: z.union([z.boolean(), z.stringbool()]).nullish(),
  partial_images: z.coerce.number().int().min(0).max(3).nullish(),
});
type ImageRequest = z.infer<typeof ImageRequest>;
const PromptedImageRequest = ImageRequest.extend({ prompt: z.string().min(1).max(32_000) });

export async function generateImages(options: DemoOptions, request: Request): Promise<Response> {
  const input = await readJson(request, PromptedImageRequest);
  if (input instanceof Response) return input;
  return imagesFor(options, input, { kind: "image_generation", caption: input.prompt });
}

export async function editImages(options: DemoOptions, request: Request): Promise<Response> {
  const sent = await readImageForm(request, PromptedImageRequest);
  if (sent instanceof Response) return sent;
  const { input, image } = sent;
  return imagesFor(options, input, { kind: "image_edit", caption: input.prompt, image });
}

export async function varyImages(options: DemoOptions, request: Request): Promise<Response> {
  const sent = await readImageForm(request, ImageRequest);
  if (sent instanceof Response) return sent;
  const caption = `Variation of ${sent.image.filename}`;
  return imagesFor(options, sent.input, { kind: "image_edit", caption, image: sent.image });
}

async function readImageForm<T>(
  request: Request,
  shape: z.ZodType<T>,
): Promise<{ input: T; image: FormFile } | Response> {
  const form = await readForm(request);
  if (form instanceof Response) return form;
  const input = validate(form.fields, shape);
  if (input instanceof Response) return input;
  const image = form.files.find(({ field }) => field === "image" || field === "image[]");
  return image
    ? { input, image }
    : errorResponse(400, "Missing required parameter: 'image'.", "image");
}

interface Subject {
  /** The first part of the type of each streamed event. */
  kind: "image_generation" | "image_edit";
  caption: string;
  image?: FormFile;
}

async function imagesFor(
  options: DemoOptions,
  input: ImageRequest,
  subject: Subject,
): Promise<Response> {
  const { caption, image } = subject;
  const size = sizeOf(input.size ?? "") ?? sizeLike(image) ?? DEFAULT_SIZE;
  // The same request produces the same images; each image of one request has its own colors.
  const seed = Bun.hash.xxHash32(image ? `${caption} ${image.head.toString("hex")}` : caption);
  const count = input.n ?? 1;
  const paint = (index: number, text = caption) =>
    paintPicture(text, Bun.hash.xxHash32(String(index), seed), size);
  const [text_tokens, image_tokens] = [countTokens(caption), image ? TOKENS_PER_IMAGE : 0];
  const [input_tokens, output_tokens] = [text_tokens + image_tokens, count * TOKENS_PER_IMAGE];
  const about = {
    background: "opaque",
    output_format: "png",
    quality: "low",
    size: `${size.width}x${size.height}`,
  };
  const usage = {
    input_tokens,
    input_tokens_details: { text_tokens, image_tokens },
    output_tokens,
    total_tokens: input_tokens + output_tokens,
  };
  const created = unixSeconds(options.now());
  if (input.stream) return streamEvents(events());
  const data: object[] = [];
  for (let index = 0; index < count; index += 1) {
    const b64_json = (await paint(index)).toString("base64");
    const asUrl = input.response_format === "url";
    data.push(asUrl ? { url: `data:image/png;base64,${b64_json}` } : { b64_json });
  }
  return Response.json({ created, data, ...about, usage });

  /** A partial image shows the beginning of the caption. */
  async function* events() {
    const partials = input.partial_images ?? 0;
    for (let index = 0; index < count; index += 1) {
      for (let part = 0; part < partials; part += 1) {
        const text = caption.slice(0, Math.ceil((caption.length * (part + 1)) / (partials + 1)));
        yield event("partial_image", await paint(index, text), { partial_image_index: part });
      }
      yield event("completed", await paint(index), { usage });
    }
  }

  function event(name: string, png: Buffer, more: object): string {
    const b64_json = png.toString("base64");
    const type = `${subject.kind}.${name}`;
    return formatNamedEvent({ type, b64_json, created_at: created, ...about, ...more });
  }
}

function sizeOf(text: string): Size | undefined {
  const [width = 0, height = 0] = /^\d{1,4}x\d{1,4}$/.test(text) ? text.split("x").map(Number) : [];
  const inRange = [width, height].every((side) => side >= 1 && side <= MAX_SIDE);
  return inRange ? { width, height } : undefined;
}

/** Returns the size of the uploaded PNG, scaled down to the maximum. */
function sizeLike(image: FormFile | undefined): Size | undefined {
  const size = image && readPngSize(image.head);
  if (!size || size.width === 0 || size.height === 0) return undefined;
  const scale = Math.min(1, MAX_SIDE / size.width, MAX_SIDE / size.height);
  const scaled = (side: number) => Math.max(1, Math.round(side * scale));
  return { width: scaled(size.width), height: scaled(size.height) };
}
