import { parseAccept, qualityOf } from '../http/headers/accept.ts'
import type { OpenApiDocument } from '../openapi/document.ts'
import { compressedResponse, createCompressedContent } from './compressed-content.ts'
import type { DocsPage } from './docs-page.ts'

export const documentPath = '/openapi.json'

const jsonMediaType = 'application/json'

/**
 * The OpenAPI document: `application/vnd.oai.openapi+json;version=3.1` for clients that accept it
 * by name (it is not yet registered), else `application/json`. The first request makes it. Clients
 * revalidate it, because the service may have changed after a restart.
 */
export function createDocumentPage(
  makeDocument: () => OpenApiDocument,
  callerHeaders: readonly string[] = [],
): DocsPage {
  let serialized: ReturnType<typeof serializeDocument> | undefined
  return {
    path: documentPath,
    respond: (request) => {
      serialized ??= serializeDocument(makeDocument())
      const { content, openApiMediaType } = serialized
      const headers = {
        'content-type': prefersOpenApiType(request.headers.accept, openApiMediaType)
          ? openApiMediaType
          : jsonMediaType,
        'cache-control': callerHeaders.length === 0 ? 'no-cache' : 'private, no-cache',
        vary: ['Accept', ...callerHeaders].join(', '),
      }
      return compressedResponse(request, headers, content)
    },
  }
}

function serializeDocument(document: OpenApiDocument) {
  const [major, minor] = document.openapi.split('.')
  return {
    content: createCompressedContent(Buffer.from(JSON.stringify(document))),
    openApiMediaType: `application/vnd.oai.openapi+json;version=${major}.${minor}`,
  }
}

/** Wildcards do not count: browsers and most tools know JSON only. */
function prefersOpenApiType(accept: string | undefined, openApiMediaType: string): boolean {
  if (!accept?.includes('vnd.oai.openapi+json')) return false
  const ranges = parseAccept(accept)
  return qualityOf(ranges, openApiMediaType) >= qualityOf(ranges, jsonMediaType)
}
