import { parseAccept, qualityOf } from '../http/accept.ts'
import type { OpenApiDocument } from '../openapi/document.ts'
import { codedAnswer, codedContent } from './coded-content.ts'
import type { Page } from './page.ts'

export const documentPath = '/openapi.json'

const json = 'application/json'

/**
 * The OpenAPI document: `application/vnd.oai.openapi+json;version=3.1` for whoever asks for that (its media type is not yet registered), else
 * `application/json`. It is written when it is first asked for, and asked for anew each time: a service may be another after its next start.
 */
export function documentPage(makeDocument: () => OpenApiDocument): Page {
  let made: ReturnType<typeof writtenDocument> | undefined
  return {
    path: documentPath,
    answer: (request) => {
      made ??= writtenDocument(makeDocument())
      const { content, own } = made
      const headers = {
        'content-type': wants(request.headers.accept, own) ? own : json,
        'cache-control': 'no-cache',
        vary: 'Accept',
      }
      return codedAnswer(request, headers, content)
    },
  }
}

function writtenDocument(document: OpenApiDocument) {
  const [major, minor] = document.openapi.split('.')
  return {
    content: codedContent(Buffer.from(JSON.stringify(document))),
    own: `application/vnd.oai.openapi+json;version=${major}.${minor}`,
  }
}

/** Only who names the type is sent it: browsers and most tools know JSON alone. */
function wants(accept: string | undefined, own: string): boolean {
  if (!accept?.includes('vnd.oai.openapi+json')) return false
  const ranges = parseAccept(accept)
  return qualityOf(ranges, own) >= qualityOf(ranges, json)
}
