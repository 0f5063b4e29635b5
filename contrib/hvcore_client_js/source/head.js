/**
 * The client of the API of a video hosting service, for browsers and node (from 18 on).
 *
 * One module without dependencies. `python -m hvcore_client_generator` writes it: the
 * parts in `source/`, and between them the operations of the API's description.
 */
