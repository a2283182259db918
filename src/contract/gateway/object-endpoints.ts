/** Endpoints of objects that an upstream stores, such as files: their ids belong to the registry that created them. */
import { type DataPlaneEndpoint, JSON_ENDPOINT, STREAMED } from "./dataplane-endpoint.ts";

const NO_BODY = { ...JSON_ENDPOINT, body: "none" } as const;
const FILES = {
  ...JSON_ENDPOINT,
  capability: "files",
  body: "json_or_form",
  form_cap: "FILES_BODY_MIB",
} as const;
const UPLOADS = { ...JSON_ENDPOINT, capability: "uploads" } as const;
const BATCHES = { ...JSON_ENDPOINT, capability: "batches" } as const;
const MESSAGE_BATCHES = {
  ...JSON_ENDPOINT,
  capability: "message_batches",
  dialect: "messages",
} as const;
const RESPONSES = { ...NO_BODY, capability: "stored_responses", dialect: "responses" } as const;
const CONVERSATIONS = { ...JSON_ENDPOINT, capability: "conversations" } as const;

const ITEM = { type: "message", role: "user", content: "Hello!" };

export const OBJECT_ENDPOINTS: readonly DataPlaneEndpoint[] = [
  {
    ...FILES,
    name: "files",
    path: "/files",
    creates: true,
    operations: {
      GET: { name: "list_files", summary: "List files" },
      POST: {
        name: "upload_file",
        summary: "Upload a file",
        form: {
          purpose: { example: "assistants" },
          file: { example: "notes.txt", media_type: "application/octet-stream" },
        },
      },
    },
  },
  {
    ...FILES,
    name: "files.one",
    path: "/files/{file_id}",
    operations: {
      GET: { name: "get_file", summary: "Get a file's metadata" },
      DELETE: { name: "delete_file", summary: "Delete a file" },
    },
  },
  {
    ...FILES,
    name: "files.content",
    path: "/files/{file_id}/content",
    download: true,
    operations: {
      GET: {
        name: "download_file",
        summary: "Download a file",
        responses: ["application/octet-stream"],
      },
    },
  },
  {
    ...UPLOADS,
    name: "uploads",
    path: "/uploads",
    creates: true,
    operations: {
      POST: {
        name: "create_upload",
        summary: "Start the upload of a large file in parts",
        json: { filename: "a.jsonl", purpose: "batch", bytes: 1024, mime_type: "text/jsonl" },
      },
    },
  },
  {
    ...UPLOADS,
    name: "uploads.parts",
    path: "/uploads/{upload_id}/parts",
    body: "form",
    form_cap: "FILES_BODY_MIB",
    operations: {
      POST: {
        name: "add_upload_part",
        summary: "Add a part to an upload",
        form: { data: { example: "part-1", media_type: "application/octet-stream" } },
      },
    },
  },
  {
    ...UPLOADS,
    name: "uploads.complete",
    path: "/uploads/{upload_id}/complete",
    operations: {
      POST: {
        name: "complete_upload",
        summary: "Complete an upload; the response has the file",
        json: { part_ids: ["part_abc123"] },
      },
    },
  },
  {
    ...UPLOADS,
    name: "uploads.cancel",
    path: "/uploads/{upload_id}/cancel",
    body: "none",
    operations: { POST: { name: "cancel_upload", summary: "Cancel an upload" } },
  },
  {
    ...BATCHES,
    name: "batches",
    path: "/batches",
    creates: true,
    operations: {
      GET: { name: "list_batches", summary: "List batches" },
      POST: {
        name: "create_batch",
        summary: "Start a batch of the requests in an uploaded file",
        json: {
          input_file_id: "file-abc123",
          endpoint: "/v1/chat/completions",
          completion_window: "24h",
        },
      },
    },
  },
  {
    ...BATCHES,
    name: "batches.one",
    path: "/batches/{batch_id}",
    operations: { GET: { name: "get_batch", summary: "Get a batch" } },
  },
  {
    ...BATCHES,
    name: "batches.cancel",
    path: "/batches/{batch_id}/cancel",
    body: "none",
    operations: { POST: { name: "cancel_batch", summary: "Cancel a batch" } },
  },
  {
    ...MESSAGE_BATCHES,
    name: "messages.batches",
    path: "/messages/batches",
    creates: true,
    operations: {
      GET: { name: "list_message_batches", summary: "List batches of messages" },
      POST: {
        name: "create_message_batch",
        summary: "Start a batch of messages in the Anthropic format",
        json: {
          requests: [
            {
              custom_id: "first",
              params: { model: "claude-sonnet-4-5", max_tokens: 256, messages: [ITEM] },
            },
          ],
        },
      },
    },
  },
  {
    ...MESSAGE_BATCHES,
    name: "messages.batches.one",
    path: "/messages/batches/{message_batch_id}",
    operations: {
      GET: { name: "get_message_batch", summary: "Get a batch of messages" },
      DELETE: { name: "delete_message_batch", summary: "Delete a batch of messages" },
    },
  },
  {
    ...MESSAGE_BATCHES,
    name: "messages.batches.cancel",
    path: "/messages/batches/{message_batch_id}/cancel",
    body: "none",
    operations: {
      POST: { name: "cancel_message_batch", summary: "Cancel a batch of messages" },
    },
  },
  {
    ...MESSAGE_BATCHES,
    name: "messages.batches.results",
    path: "/messages/batches/{message_batch_id}/results",
    lines: true,
    operations: {
      GET: {
        name: "get_message_batch_results",
        summary: "Get the results of a batch of messages, one JSON object per line",
        responses: ["application/x-jsonl"],
      },
    },
  },
  {
    ...RESPONSES,
    name: "responses.one",
    path: "/responses/{response_id}",
    operations: {
      GET: {
        name: "get_response",
        summary: "Get a stored response; its events with `?stream=true`",
        responses: STREAMED,
      },
      DELETE: { name: "delete_response", summary: "Delete a stored response" },
    },
  },
  {
    ...RESPONSES,
    name: "responses.cancel",
    path: "/responses/{response_id}/cancel",
    operations: {
      POST: { name: "cancel_response", summary: "Cancel a response that runs in the background" },
    },
  },
  {
    ...RESPONSES,
    name: "responses.input_items",
    path: "/responses/{response_id}/input_items",
    operations: {
      GET: { name: "list_response_input_items", summary: "List the input of a stored response" },
    },
  },
  {
    ...CONVERSATIONS,
    name: "conversations",
    path: "/conversations",
    creates: true,
    operations: {
      POST: {
        name: "create_conversation",
        summary: "Create a conversation, to which responses add their items",
        json: { items: [ITEM] },
      },
    },
  },
  {
    ...CONVERSATIONS,
    name: "conversations.one",
    path: "/conversations/{conversation_id}",
    operations: {
      GET: { name: "get_conversation", summary: "Get a conversation" },
      POST: {
        name: "update_conversation",
        summary: "Change the metadata of a conversation",
        json: { metadata: { topic: "demo" } },
      },
      DELETE: { name: "delete_conversation", summary: "Delete a conversation" },
    },
  },
  {
    ...CONVERSATIONS,
    name: "conversations.items",
    path: "/conversations/{conversation_id}/items",
    operations: {
      GET: { name: "list_conversation_items", summary: "List the items of a conversation" },
      POST: {
        name: "create_conversation_items",
        summary: "Add items to a conversation",
        json: { items: [ITEM] },
      },
    },
  },
  {
    ...CONVERSATIONS,
    name: "conversations.item",
    path: "/conversations/{conversation_id}/items/{item_id}",
    item: true,
    operations: {
      GET: { name: "get_conversation_item", summary: "Get an item of a conversation" },
      DELETE: { name: "delete_conversation_item", summary: "Delete an item of a conversation" },
    },
  },
];
