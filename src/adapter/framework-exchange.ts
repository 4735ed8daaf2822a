import type { IncomingMessage, ServerResponse } from 'node:http'

/** A request of Fastify. */
export interface FrameworkRequest {
  readonly raw: IncomingMessage
  readonly body?: unknown
}

/** A reply of Fastify. */
export interface FrameworkReply {
  readonly raw: ServerResponse
  hijack(): unknown
  send(payload: unknown): unknown
  callNotFound(): unknown
  getHeaders(): Readonly<Record<string, number | string | string[] | undefined>>
}

/** A request of any framework, with the ways back to it. */
export interface FrameworkExchange {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  /** The target as the client sent it. */
  readonly url: string
  /** What the framework has made of the body, if it has read it. */
  readonly parsed: unknown
  /** Leaves the request, or an error, to the framework; undefined if nothing else would respond. */
  readonly next: ((error?: unknown) => void) | undefined
  /** Tells the framework that it must not respond. */
  begin(): void
}

/** The members that Connect, Express and others add. */
interface ExtendedMessage extends IncomingMessage {
  readonly originalUrl?: string
  readonly body?: unknown
}

export function nodeExchange(
  req: ExtendedMessage,
  res: ServerResponse,
  next: ((error?: unknown) => void) | undefined,
): FrameworkExchange {
  const url = req.originalUrl ?? req.url ?? '/'
  return { req, res, url, parsed: req.body, next, begin: () => {} }
}

export function fastifyExchange(
  { raw: req, body }: FrameworkRequest,
  reply: FrameworkReply,
): FrameworkExchange {
  const { raw: res } = reply
  return {
    req,
    res,
    url: req.url ?? '/',
    parsed: body,
    next: (error) => void (error === undefined ? reply.callNotFound() : reply.send(error)),
    begin: () => {
      // Those of hooks, such as `Access-Control-Allow-Origin`.
      for (const [name, value] of Object.entries(reply.getHeaders()))
        if (value !== undefined) res.setHeader(name, value)
      reply.hijack()
    },
  }
}
