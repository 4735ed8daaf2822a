/**
 * Marks a response whose rule has no `response.description`.
 *
 * ```ts
 * const text = JSON.stringify(router.toOpenApi())
 * if (text.includes(noResponseDescription)) console.warn('A response has no description.')
 * ```
 */
export const noResponseDescription = '[no description]'
