import type { OpenApiDocument, WebhookItem } from './document.ts'

/**
 * Adds what the service sends to others (OpenAPI 3.1, OpenAPI Object). OpenAPI 3.0 has no place for
 * it.
 */
export function withWebhooks(
  document: OpenApiDocument,
  webhooks: Readonly<Record<string, WebhookItem>>,
): OpenApiDocument {
  return document.openapi.startsWith('3.0') || Object.keys(webhooks).length === 0
    ? document
    : { ...document, webhooks }
}
