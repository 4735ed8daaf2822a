import { Problem, problemOf } from '../problem.mjs'

/**
 * The error handler of the servers with Fastify.
 * @param {import('fastify').FastifyError} error
 * @param {import('fastify').FastifyRequest} _request
 * @param {import('fastify').FastifyReply} reply
 */
export function sendProblem(error, _request, reply) {
  const problem = error.statusCode
    ? new Problem(error.validation ? 422 : error.statusCode, error.message)
    : problemOf(error)
  reply.code(problem.status).header('content-type', 'application/problem+json').send(problem.text())
}
