import type { RuleDeclaration } from '../../rule/declaration.ts'
import type { Feature, RouterSetup } from '../feature.ts'
import { type CorsOptions, corsSettings } from './cors-options.ts'
import { type CorsRules, corsRules, corsRulesOfService } from './cors-rules.ts'
import { withCors } from './with-cors.ts'

/**
 * Responses that pages of other origins may read; undefined if the option is off.
 * @throws RegistrationError
 */
export function cors(
  options: CorsOptions | undefined,
  { basePath, callerHeaders }: Pick<RouterSetup, 'basePath' | 'callerHeaders'>,
): Feature | undefined {
  const settings = corsSettings(options)
  if (!settings) return undefined
  const { origins, headers } = settings
  // Browsers send cookies by themselves.
  const ownHeaders = () => [...callerHeaders().filter((name) => name !== 'cookie'), ...headers]
  let rules: CorsRules | undefined
  return {
    completes: () => ({ declaration }),
    // A page that may read responses with the credentials of its user may write, too.
    trustedOrigins: origins === '*' ? [] : origins,
    frozen: (router) => {
      rules = corsRules(router, ownHeaders())
    },
    around: (handle) => withCors(handle, settings, basePath, () => rules),
    aroundService: (handle, service) => {
      let serviceRules: CorsRules | undefined
      return withCors(handle, settings, service.basePath, () => {
        serviceRules ??= rules && corsRulesOfService(service.methods, ownHeaders(), rules)
        return serviceRules
      })
    },
  }
}

const declaration: RuleDeclaration = Object.freeze({
  headers: Object.freeze({
    'Access-Control-Allow-Origin': 'The origin whose pages may read the response (Fetch Standard).',
    'Access-Control-Allow-Credentials': 'Pages may send credentials of the browser, if `true`.',
    'Access-Control-Expose-Headers': 'The headers of the response that pages may read.',
  }),
})
