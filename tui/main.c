/* The program. */
#include <loom/cli.h>

int main(int argc, char **argv)
{
	return loom_cli_main(argc, argv, NULL, NULL);
}
