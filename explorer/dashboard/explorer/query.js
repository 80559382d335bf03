import { ask } from "../graphql.js";
import { useEffect, useState } from "./library.js";

/**
 * The response to a document of documents.js, by its name: `{ data, failure }`, both undefined until it arrives. It is asked again when the variables
 * or `version` change; what was shown stays until the new response is there.
 */
export function useQuery(query, variables, version) {
  const [response, setResponse] = useState({});
  useEffect(() => {
    let isCurrent = true;
    ask(query, variables).then(
      (data) => isCurrent && setResponse({ data }),
      (error) => isCurrent && setResponse({ failure: error.message }),
    );
    return () => {
      isCurrent = false;
    };
  }, [query, JSON.stringify(variables), version]);
  return response;
}
